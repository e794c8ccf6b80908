/* Shows /openapi.json with Swagger UI. A file of its own: the page allows no inline script. */
window.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("swagger");
  window.SwaggerUIBundle({
    url: place.dataset.source,
    domNode: place,
    deepLinking: false,
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
  });
});
