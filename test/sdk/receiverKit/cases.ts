/** The answers of the issuer, and what a correct receiver gets from each. */
import { createHash } from "node:crypto";

export interface Case {
  readonly name: string;
  /** The bytes that a receiver must get. Undefined if it must refuse. */
  readonly content: Uint8Array | undefined;
  readonly answer?: Answer;
  /** The value in the body instead of a URL. */
  readonly value?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The number of bytes that are sent before the connection is cut. */
  readonly cutAt?: number;
}

const content = new TextEncoder().encode(
  "%PDF-1.7 not really, but every byte counts: \u00e9\u2713\n".repeat(2_000),
);
const other = content.map((byte, index) => (index === 7 ? byte ^ 1 : byte));
const digest = (bytes: Uint8Array) => `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;

const file = (bytes: Uint8Array, headers: Record<string, string> = {}): Answer => ({
  status: 200,
  headers: {
    "Content-Type": "application/pdf",
    "Content-Disposition": 'attachment; filename="contract.pdf"',
    "Repr-Digest": digest(bytes),
    ...headers,
  },
  body: bytes,
});
const problem = (status: number): Answer => ({
  status,
  headers: { "Content-Type": "application/problem+json" },
  body: new TextEncoder().encode(JSON.stringify({ success: false, message: "No.", code: "refused", status })),
});
const named = (name: string) => ({
  "Content-Disposition": `attachment; filename="x.pdf"; filename*=UTF-8''${encodeURIComponent(name)}`,
});

export const cases: readonly Case[] = [
  { name: "download", content, answer: file(content) },
  { name: "odd-name", content, answer: file(content, named('\u5408\u540c; "final" (1).pdf')) },
  { name: "hostile-name", content, answer: file(content, named("../../etc/passwd")) },
  { name: "base64", content, value: Buffer.from(content).toString("base64") },
  {
    name: "base64-short",
    content: content.slice(0, 3),
    value: Buffer.from(content.slice(0, 3)).toString("base64"),
  },
  { name: "no-file", content: undefined, value: "" },
  { name: "no-file-blank", content: undefined, value: " \n" },
  { name: "used-or-expired", content: undefined, answer: problem(401) },
  { name: "not-found", content: undefined, answer: problem(404) },
  { name: "not-configured", content: undefined, answer: problem(501) },
  { name: "truncated", content: undefined, answer: { ...file(content), cutAt: 4_000 } },
  { name: "wrong-digest", content: undefined, answer: file(other, { "Repr-Digest": digest(content) }) },
  { name: "redirect", content: undefined, answer: { ...problem(302), headers: { Location: "/elsewhere" } } },
];
