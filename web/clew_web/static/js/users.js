/* The page of users and keys: make, change, revoke. */
import { letDelete } from "./delete_dialog.js";
import { errorLine, make, once } from "./dom.js";
import { refreshLive } from "./page.js";
import { call } from "./rest.js";
import { showOnce } from "./shown_once.js";

const byId = (id) => document.getElementById(id);
const userDialog = byId("user-dialog");
const keyDialog = byId("key-dialog");
let changed = null;

function tell(place, error) {
  byId(place).replaceChildren(errorLine(error));
}

function corporaBoxes() {
  return [...document.querySelectorAll("#user-corpora input[name=corpus]")];
}

/* An administrator sees all corpora; who sees all needs none by name. */
function showCorpora() {
  byId("user-corpora").hidden = byId("user-role").value === "admin";
  for (const box of corporaBoxes()) {
    box.disabled = byId("user-all").checked;
  }
}

function passwordHelp(user, first) {
  if (first) {
    return "";
  }
  return user === null ? "Without one only keys act for this user." : "Empty: it stays. A new one ends the sessions.";
}

function openUser(user) {
  changed = user;
  const first = user === null && document.querySelector("#users tbody") === null;
  byId("user-form").reset();
  byId("user-problem").replaceChildren();
  byId("user-title").textContent = user === null ? "New user" : `Change ${user.name}`;
  byId("user-save").textContent = user === null ? "Create" : "Save";
  byId("user-name").value = user?.name ?? "";
  byId("user-name").disabled = user !== null;
  byId("user-role").value = user?.role ?? (first ? "admin" : "reader");
  byId("user-password").required = first;
  byId("user-password-label").textContent = user === null ? "Password" : "New password";
  byId("user-password-empty").textContent = passwordHelp(user, first);
  for (const role of byId("user-role").options) {
    role.disabled = first && role.value !== "admin"; // the first lets the others in
  }
  byId("user-all").checked = user?.all_corpora ?? false;
  for (const box of corporaBoxes()) {
    box.checked = user?.corpora.includes(box.value) ?? false;
  }
  byId("user-disabled").checked = user?.disabled ?? false;
  byId("user-disabled-line").hidden = user === null;
  showCorpora();
  userDialog.showModal();
}

async function saveUser() {
  const role = byId("user-role").value;
  const all = byId("user-all").checked;
  const password = byId("user-password").value || null;
  const corpora = corporaBoxes().filter((box) => box.checked).map((box) => box.value);
  if (changed === null) {
    const name = byId("user-name").value;
    await call("/users", { method: "POST", body: { name, role, password, corpora, all_corpora: all && role !== "admin" } });
    return;
  }
  const path = `/users/${encodeURIComponent(changed.name)}`;
  const disabled = byId("user-disabled").checked;
  const body = {};
  if (role !== changed.role) {
    body.role = role;
  }
  if (role !== "admin" && (all !== changed.all_corpora || changed.role === "admin")) {
    body.all_corpora = all;
  }
  if (disabled !== changed.disabled) {
    body.disabled = disabled;
  }
  if (password !== null) {
    body.password = password;
  }
  if (Object.keys(body).length > 0) {
    await call(path, { method: "PATCH", body });
  }
  for (const box of role === "admin" ? [] : corporaBoxes()) {
    if (box.checked !== changed.corpora.includes(box.value)) {
      await call(`${path}/corpora/${encodeURIComponent(box.value)}`, { method: box.checked ? "PUT" : "DELETE" });
    }
  }
}

/* The first user closes the server: whoever made it has to log in now. */
async function refresh() {
  const before = document.querySelector("#users tbody") === null;
  if (before) {
    location.reload();
    return;
  }
  document.activeElement?.blur();
  await refreshLive();
  const names = [...document.querySelectorAll("#users td.name")].map((cell) => cell.textContent);
  byId("key-user").replaceChildren(...names.map((name) => make("option", {}, name)));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-user]");
  if (button) {
    openUser(JSON.parse(button.dataset.user));
  }
  event.target.closest("[data-close]")?.closest("dialog").close();
});
byId("new-user").addEventListener("click", () => openUser(null));
byId("user-role").addEventListener("change", showCorpora);
byId("user-all").addEventListener("change", showCorpora);
byId("user-form").addEventListener("submit", (event) => {
  event.preventDefault();
  once(byId("user-save"), async () => {
    try {
      await saveUser();
      userDialog.close();
      await refresh();
    } catch (error) {
      tell("user-problem", error);
    }
  });
});

byId("new-key").addEventListener("click", () => {
  byId("key-form").reset();
  byId("key-problem").replaceChildren();
  keyDialog.showModal();
});
byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const scopes = [...document.querySelectorAll("#key-form input[name=scope]:checked")].map((box) => box.value);
  const body = { user: byId("key-user").value, name: byId("key-name").value, scopes, days: Number(byId("key-days").value) };
  once(event.submitter, async () => {
    try {
      const made = await call("/keys", { method: "POST", body });
      keyDialog.close();
      showOnce(made.key);
      await refreshLive();
    } catch (error) {
      tell("key-problem", error);
    }
  });
});
letDelete((path) => `/${path}`);
document.addEventListener("click", (event) => {
  const path = event.target.closest("[data-delete]")?.dataset.delete;
  if (path !== undefined) {
    const [title, what, verb] = path.startsWith("users/")
      ? ["Delete this user?", "neither they nor programs with their API keys are let in any more.", "Delete"]
      : ["Revoke this key?", "programs that use it are let in no more.", "Revoke"];
    byId("delete-title").textContent = title;
    byId("delete-what").textContent = what;
    byId("delete-confirm").textContent = verb;
  }
});
