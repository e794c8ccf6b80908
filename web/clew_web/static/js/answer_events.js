/* Follows the events of one answer: those that were kept in this tab, or those that come. */
import { RestError } from "./rest.js";

const BROKE_OFF = new RestError("The answer broke off.", "Ask again.");

/* ``on``: what is done at each event, by its name, with its data and all that was heard so far;
   ``error`` is done, too, where it breaks off, and ``stop`` where ``signal`` ended it. */
export async function follow(events, signal, on) {
  const heard = [];
  let ended = false;
  try {
    for await (const { event, data } of events) {
      signal.throwIfAborted();
      heard.push({ event, data });
      ended ||= event === "answer" || event === "error";
      on[event]?.(data, heard);
    }
    if (!ended) {
      throw BROKE_OFF;
    }
  } catch (error) {
    if (signal.aborted) {
      on.stop();
    } else {
      on.error(error.remedy === undefined ? BROKE_OFF : error, heard);
    }
  }
}
