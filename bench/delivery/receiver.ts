/**
 * The outside system of the suite, a process of its own: takes requests as fast as it can, and tells how many came and
 * when each began. `GET /arrivals` answers `[[instance, milliseconds since the epoch], …]`, `GET /count` how many they
 * are, `GET /bodies` the first different bodies, `DELETE /arrivals` forgets.
 */
const arrivals: [instance: string, at: number][] = [];
const bodies = new Set<string>();
const mostBodies = 3;
const now = () => performance.timeOrigin + performance.now();

Bun.serve({
  port: Number(process.env.PORT),
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/readyz") return new Response();
    if (pathname === "/count") return new Response(String(arrivals.length));
    if (pathname === "/bodies") return Response.json([...bodies]);
    if (pathname === "/arrivals") {
      if (request.method === "DELETE") {
        arrivals.length = 0;
        bodies.clear();
      }
      return Response.json(arrivals);
    }
    const [instance = ""] = (request.headers.get("idempotency-key") ?? "").split(":");
    arrivals.push([instance, now()]);
    const body = await request.text();
    if (bodies.size < mostBodies) bodies.add(body);
    return Response.json({ taken: true });
  },
});
