/**
 * `/swagger`: Swagger UI over the authored contract, with every asset served from here. Where SWAGGER_UI or OPENAPI is
 * off there are no such routes, and they answer 404.
 *
 * @elysiajs/swagger renders the page. Its script comes from a CDN and stands partly inside the page; both are
 * rewritten to files of swagger-ui-dist served by this process, so that the page works in a closed network and
 * under a policy that allows no inline script.
 */
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
// Not from the package's index, which would run all of Swagger UI here: 10 MB for its folder's path.
import getAbsoluteFSPath from "swagger-ui-dist/absolute-path.js";
import contract from "../generated/openapi.json";
import type { Config } from "../infrastructure/config.ts";
import { Problem } from "../infrastructure/problem.ts";

const assets: Readonly<Record<string, string>> = {
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
};
const startScript = "start.js";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function swaggerUi({ swaggerUi: isOn }: Config) {
  const app = new Elysia({ name: "swagger-ui" });
  if (!isOn) return app;
  const page = renderPage();
  return (
    app
      // Where a newcomer looks first.
      .get("/", () => Response.redirect("/swagger"))
      .get("/swagger", async () => respond((await page).html, "text/html; charset=utf-8"))
      .get("/swagger/assets/:name", async ({ params: { name } }) => {
        if (name === startScript) return respond((await page).script, "text/javascript; charset=utf-8");
        const type = Object.hasOwn(assets, name) ? assets[name] : undefined;
        if (type === undefined) throw new Problem("route_not_found");
        return respond(Bun.file(`${getAbsoluteFSPath()}/${name}`), type);
      })
  );
}

/** The plugin's own page, with its scripts taken out into files. */
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
  const html = await (await plugin.handle(new Request("http://localhost/swagger"))).text();
  const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? [];
  return {
    html: html
      .replace(/<script>[\s\S]*?<\/script>/, `<script src="/swagger/assets/${startScript}"></script>`)
      .replace(
        /src="https:\/\/[^"]*swagger-ui-bundle\.js" crossorigin/,
        'src="/swagger/assets/swagger-ui-bundle.js"',
      ),
    script,
  };
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
