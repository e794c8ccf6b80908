/* Uploads files with progress, which fetch cannot report. */
import { PAGE_HEADER, RestError, refusal } from "./rest.js";

let running = 0;

/* Leaving ends what is being sent: the browser asks first. */
window.addEventListener("beforeunload", (event) => {
  if (running > 0) {
    event.preventDefault();
  }
});

/* readAs: "documents" or "triples". */
export function upload(corpus, files, readAs, progress) {
  const form = new FormData();
  form.append("corpus", corpus);
  form.append("as", readAs);
  for (const file of files) {
    form.append("files", file, file.name);
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    running += 1;
    request.addEventListener("loadend", () => {
      running -= 1;
    });
    request.open("POST", "/api/v1/documents");
    request.responseType = "json";
    request.setRequestHeader(PAGE_HEADER, "1");
    request.upload.addEventListener("progress", (event) => {
      progress(event.lengthComputable ? event.loaded / event.total : 0);
    });
    request.addEventListener("load", () => {
      if (request.status === 202) {
        resolve(request.response);
      } else {
        reject(refusal(request.status, request.response));
      }
    });
    request.addEventListener("error", () => {
      reject(new RestError("The upload broke off.", "Check that Clew is running, then try again."));
    });
    request.send(form);
  });
}
