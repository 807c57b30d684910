/**
 * `/swagger`: Swagger UI over our contract. This server sends every asset, so that the page works in a closed network
 * and under a policy that forbids inline scripts. If SWAGGER_UI or OPENAPI is off, these routes answer 404.
 */
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
// The package's index would run all of Swagger UI here and take 10 MB, only to give the path of its folder.
import getAbsoluteFSPath from "swagger-ui-dist/absolute-path.js";
import contract from "../generated/openapi.json";
import type { Config } from "../infrastructure/config.ts";
import { Problem } from "../infrastructure/problem.ts";

const assetTypes: Readonly<Record<string, string>> = {
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
};
const startScript = "start.js";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function swaggerUi({ swaggerUi: isOn }: Config) {
  const app = new Elysia({ name: "swagger-ui" });
  if (!isOn) return app;
  const page = renderPage();
  return (
    app
      // Newcomers look here first.
      .get("/", () => Response.redirect("/swagger"))
      .get("/swagger", async () => respond((await page).html, "text/html; charset=utf-8"))
      .get("/swagger/assets/:name", async ({ params: { name } }) => {
        if (name === startScript) return respond((await page).script, "text/javascript; charset=utf-8");
        const type = Object.hasOwn(assetTypes, name) ? assetTypes[name] : undefined;
        if (type === undefined) throw new Problem("route_not_found");
        return respond(Bun.file(`${getAbsoluteFSPath()}/${name}`), type);
      })
  );
}

/**
 * The plugin's page. Its options set the styles and the contract, but not the scripts: one comes from a CDN, the other
 * is inline. These two elements are changed here (docs/decisions/libraries.md).
 */
async function renderPage(): Promise<{ html: string; script: string }> {
  const plugin = swagger({
    provider: "swagger-ui",
    path: "/swagger",
    documentation: { info: { ...contract.info, description: contract.info.summary } },
    theme: "/swagger/assets/swagger-ui.css",
    autoDarkMode: false,
    specPath: "/openapi.json",
    swaggerOptions: { persistAuthorization: true, tryItOutEnabled: false },
  });
  let script = "";
  const page = new HTMLRewriter()
    .on("script[src]", {
      element: (element) => {
        element.setAttribute("src", "/swagger/assets/swagger-ui-bundle.js").removeAttribute("crossorigin");
      },
    })
    .on("script:not([src])", {
      element: (element) => void element.setAttribute("src", `/swagger/assets/${startScript}`),
      text: (piece) => {
        script += piece.text;
        piece.remove();
      },
    })
    .transform(await plugin.handle(new Request("http://localhost/swagger")));
  return { html: await page.text(), script };
}

function respond(body: string | ReturnType<typeof Bun.file>, contentType: string): Response {
  return new Response(body, {
    headers: {
      "Content-Type": contentType,
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    },
  });
}
