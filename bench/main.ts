/** `bun run bench <suite> [part…]`: Waybill beside bare servers; the figures and the machine are in bench/README.md. */
import { measureAttachments } from "./attachments/main.ts";
import { measureDelivery } from "./delivery/main.ts";
import { measurePaired } from "./paired/main.ts";
import { measureTables } from "./tables/main.ts";

const suites = {
  tables: measureTables,
  attachments: measureAttachments,
  delivery: measureDelivery,
  paired: measurePaired,
};
const [name = "", ...parts] = process.argv.slice(2);
const suite = Object.hasOwn(suites, name) ? suites[name as keyof typeof suites] : undefined;
if (!suite) {
  console.error(`usage: bun run bench <${Object.keys(suites).join("|")}> [part…]`);
  process.exit(1);
}
await suite(parts);
process.exit(0);
