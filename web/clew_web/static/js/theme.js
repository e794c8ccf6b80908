/* Applies the chosen theme before the page is painted. Without a choice the system's is used. */
(() => {
  const chosen = localStorage.getItem("clew-theme");
  if (chosen === "light" || chosen === "dark") {
    document.documentElement.dataset.theme = chosen;
  }
})();
