/* Which documents a question is asked of: the fields of "Only some documents". */
const box = document.getElementById("asked-documents");
const names = document.getElementById("asked-names");
const from = document.getElementById("asked-from");
const until = document.getElementById("asked-until");
const fields = document.getElementById("asked-fields");

function parts(input) {
  return input.value.split(";").map((part) => part.trim()).filter(Boolean);
}

function namedFields() {
  return parts(fields).map((part) => {
    const at = part.indexOf("=");
    return at < 0 ? [part, ""] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
}

/* As POST /query takes it: {} where nothing is chosen. */
export function askedDocuments() {
  const metadata = namedFields();
  const documents = {
    ...(parts(names).length && { names: parts(names) }),
    ...(from.value && { added_from: from.value }),
    ...(until.value && { added_until: until.value }),
    ...(metadata.length && { metadata: Object.fromEntries(metadata) }),
  };
  return Object.keys(documents).length ? { documents } : {};
}

/* As the page's address has it. */
export function inAddress() {
  return Object.fromEntries(
    [names, from, until, fields].map((input) => [input.name, input.value.trim()]).filter(([, value]) => value),
  );
}

/* The days are in order, else the form says so and asks nothing. */
function checkDays() {
  until.setCustomValidity(from.value && until.value && from.value > until.value ? "“Added until” is before “Added from”." : "");
}
from.addEventListener("input", checkDays);
until.addEventListener("input", checkDays);

/* A field has one value; of two only one could be asked for. */
function checkFields() {
  const known = namedFields().map(([name]) => name);
  const twice = known.find((name, at) => known.indexOf(name) < at);
  fields.setCustomValidity(twice === undefined ? "" : `The field “${twice}” is named twice.`);
}
fields.addEventListener("input", checkFields);

/* what the browser has filled in again counts: it is there once the page is shown */
window.addEventListener("pageshow", () => {
  checkDays();
  checkFields();
  box.open ||= Object.keys(inAddress()).length > 0;
});
/* in a closed box nobody could see what has to be put right */
box.addEventListener("invalid", () => (box.open = true), true);
