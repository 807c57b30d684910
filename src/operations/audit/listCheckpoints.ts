import type { Deps } from "../../deps.ts";
import type { AnswerOf, Handler, RequestOf } from "../../handler.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { exportTrailFile, fileHeaders } from "../../tenants/auditTrail/exportFile.ts";
import { refusePaging } from "../../tenants/auditTrail/refusePaging.ts";
import { type Verdict, verifyPage } from "../../tenants/auditTrail/verify.ts";

/** The most faults of one checkpoint in an answer. */
const mostFaults = 100;

type Request = RequestOf<"listCheckpoints">;

/** Verifies the checkpoints of a page against the records that are there now, or sends the whole trail with them. */
export const listCheckpoints: Handler<"listCheckpoints"> = (request, deps) =>
  request.accepted === "application/json" ? verifiedPage(request, deps) : trailFile(request, deps);

async function trailFile({ query, caller }: Request, deps: Deps): Promise<AnswerOf<"listCheckpoints">> {
  refusePaging(query);
  const body = await exportTrailFile(deps, caller.tenant);
  return { status: 200, body, headers: fileHeaders("trail", "application/x-ndjson") };
}

async function verifiedPage({ query, caller }: Request, { sql }: Deps): Promise<AnswerOf<"listCheckpoints">> {
  const { $after: after = "0", limit = 20 } = query;
  const verdicts = await verifyPage(sql, caller.tenant.schema, { after: BigInt(after), limit });
  const last = verdicts.length === limit ? verdicts.at(-1)?.checkpoint.number : undefined;
  const faults = verdicts.reduce((sum, verdict) => sum + verdict.faults.length, 0);
  const said = faults === 0 ? "intact" : pluralize(faults, "fault");
  return {
    status: 200,
    body: {
      success: true,
      message: `${pluralize(verdicts.length, "checkpoint")}, ${said}.`,
      data: { checkpoints: verdicts.map(shown), ...(last === undefined ? {} : { next: last }) },
    },
  };
}

function shown({ checkpoint, faults }: Verdict) {
  const { entries: _, content: __, digest, records, ...head } = checkpoint;
  return {
    ...head,
    records: Number(records),
    digest: Buffer.from(digest).toString("hex"),
    intact: faults.length === 0,
    faults: faults.slice(0, mostFaults),
  };
}
