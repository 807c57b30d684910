/**
 * A core banking system and a credit score in twenty lines: receives the requests of Waybill's service tasks and
 * fetches each file immediately. Run it with `bun examples/loan-application/receiver.ts [port]`. The default port is
 * 4000.
 */
import { receiveFile } from "../../sdk/src/index.ts";

export function startReceiver(port: number, log: (line: string) => void) {
  return Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const path = new URL(request.url).pathname;
      const body = await request.json();
      const key = request.headers.get("idempotency-key");
      const values =
        path === "/score" ? [body.parameters.document] : [body.identity_card, body.income_statement];
      for (const value of values) {
        const file = await receiveFile(value);
        log(`${path} (${key}) received ${file.name}, ${file.type}, ${file.size} bytes`);
      }
      if (path === "/score") return Response.json({ points: body.variables.applicant.length * 50 });
      if (body.amount > 100_000) return Response.json({ refused: "the amount is too high" }, { status: 422 });
      return Response.json({ reference: `CORE-${Date.now()}` });
    },
  });
}

if (import.meta.main) {
  const server = startReceiver(Number(process.argv[2] ?? 4000), console.log);
  console.log(`listening on ${server.url}`);
}
