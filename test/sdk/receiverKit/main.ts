/**
 * `bun run receiver-kit COMMAND…`: the command is run once for each case, with what arrived in the body on its standard
 * input. It writes the file's bytes to its standard output and ends with 0, or ends otherwise where it refuses.
 */
import { judge } from "./judge.ts";

const command = process.argv.slice(2);
const [program] = command;
if (program === undefined) giveUp("usage: bun run receiver-kit COMMAND…");
if (Bun.which(program) === null) giveUp(`There is no program "${program}".`);

const verdicts = await judge(async (value) => {
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
