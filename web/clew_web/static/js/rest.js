/* Calls REST. What fails is one kind of error, with what to do next. */

export class RestError extends Error {
  constructor(message, remedy = "", status = 0) {
    super(message);
    this.remedy = remedy;
    this.status = status;
  }
}

/* The error of an answer; ``body``: what it holds, null where that is not ours, as a proxy's page. */
export function refusal(status, body) {
  const error = body?.error;
  return new RestError(
    error?.message ?? `The server answered with status ${status}.`,
    error?.remedy ?? "Try again in a moment.",
    status,
  );
}

/* Says that a page shows the answer: errors then advise what can be done on a page. */
export const PAGE_HEADER = "X-Clew-Page";

export async function send(path, options = {}) {
  let response;
  try {
    response = await fetch(`/api/v1${path}`, { ...options, headers: { ...options.headers, [PAGE_HEADER]: "1" } });
  } catch (error) {
    if (error.name === "AbortError") {
      throw error;
    }
    throw new RestError("The server cannot be reached.", "Check that Clew is running.");
  }
  if (!response.ok) {
    throw refusal(response.status, await response.json().catch(() => null));
  }
  return response;
}

export async function call(path, { method = "GET", body, signal } = {}) {
  const options = { method, signal, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await send(path, options);
  return response.status === 204 ? null : response.json();
}

/* Yields {event, data} of a server-sent event stream that answers a POST. */
export async function* stream(path, body, signal) {
  const response = await send(path, {
    method: "POST",
    signal,
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(body),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      let event = "message";
      let data = "";
      for (const line of block.split("\n")) {
        if (line.startsWith("event: ")) {
          event = line.slice(7);
        } else if (line.startsWith("data: ")) {
          data += line.slice(6);
        }
      }
      if (data) {
        yield { event, data: JSON.parse(data) };
      }
    }
  }
}
