/* The page of a run: the report is shown in the theme that was chosen here. */
const root = document.documentElement;
const report = document.getElementById("report");
const download = document.querySelector("a[download$='.html']").href;

function showTheme() {
  const address = new URL(download);
  if (root.dataset.theme) {
    address.searchParams.set("theme", root.dataset.theme);
  }
  if (report.src !== address.href) {
    report.src = address.href;
  }
}

new MutationObserver(showTheme).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
showTheme();
