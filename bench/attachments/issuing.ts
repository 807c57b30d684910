/** Part 2: URLs for a body that names a file once, and for one that names it a hundred times. */
import { type Comparison, compare } from "../measure.ts";
import { sampleFiles } from "./files.ts";
import { finalize, issue, type UploadBody, uploadBody, uploadToWaybill } from "./requests.ts";

const instance = "issuing";
const occurrences = 100;

/** The reference issues one URL a request, the subject a hundred. */
export async function measureIssuing(server: string): Promise<Comparison> {
  const body = uploadBody(sampleFiles(10_000)[0] as Parameters<typeof uploadBody>[0]) satisfies UploadBody;
  const id = await uploadToWaybill(server, -1, body);
  await finalize(server, instance, [id]);
  const many = Array<string>(occurrences).fill(id);
  return compare(
    () => issue(server, instance, [id]),
    () => issue(server, instance, many),
    { rounds: 30, block: 40, concurrency: 1 },
  );
}
