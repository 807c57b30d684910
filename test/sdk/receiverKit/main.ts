/**
 * `bun run receiver-kit COMMAND…` runs the command once for each case. The command gets the value from the body on its
 * standard input. It writes the file's bytes to its standard output and exits with 0, or with another code if it
 * refuses.
 */
import { checkReceiver } from "./checkReceiver.ts";

const command = process.argv.slice(2);
const [program] = command;
if (program === undefined) giveUp("Usage: bun run receiver-kit COMMAND…");
if (Bun.which(program) === null) giveUp(`The program "${program}" was not found.`);

const verdicts = await checkReceiver(async (value) => {
  const receiver = Bun.spawn(command, { stdin: new Blob([value]), stdout: "pipe", stderr: "inherit" });
  const bytes = await new Response(receiver.stdout).bytes();
  return (await receiver.exited) === 0 ? bytes : undefined;
});
for (const { name, faults } of verdicts)
  console.log(
    `${faults.length === 0 ? "ok  " : "FAIL"} ${name}${faults.map((fault) => `: ${fault}`).join("")}`,
  );
const failed = verdicts.filter(({ faults }) => faults.length > 0).length;
console.log(`${verdicts.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function giveUp(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
