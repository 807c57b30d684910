/** The form of a model's `camunda:formData` in Chromium: form-js shows it, applies its rules and sends its values. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, start, userTask } from "../support/bpmn.ts";
import { deploy, freshKey } from "../support/processes.ts";
import { openSite, seriousFindings, variablesOf, visitor } from "./startFormSite.ts";
import { thanked } from "./startFormVisit.ts";

setDefaultTimeout(60_000);
const site = await openSite();
afterAll(() => site.stop());

const constraint = (name: string, config = "") =>
  `<camunda:constraint name="${name}"${config && ` config="${config}"`}/>`;
const rules = (...constraints: string[]) =>
  `<camunda:validation>${constraints.join("")}</camunda:validation>`;

const fields = `
<camunda:formField id="applicant" label="=Full {{name}} &quot;as written&quot;" type="string">
${rules(constraint("required"), constraint("minlength", "3"))}</camunda:formField>
<camunda:formField id="amount" label="Amount" type="long" defaultValue="500">
${rules(constraint("min", "1000"))}</camunda:formField>
<camunda:formField id="married" label="Married" type="boolean" defaultValue="true">
${rules(constraint("required"))}</camunda:formField>
<camunda:formField id="born" label="Born" type="date" defaultValue="31/01/1990"/>
<camunda:formField id="kind" label="Kind" type="enum" defaultValue="home">
<camunda:value id="car" name="A car"/><camunda:value id="home" name="A house"/></camunda:formField>
<camunda:formField id="branch" label="Branch" type="string" defaultValue="Jakarta">
${rules(constraint("readonly"))}</camunda:formField>`;

test("fields, labels, defaults and rules are the model's, and their values become variables", async () => {
  const process_key = freshKey("generated");
  const data = `<extensionElements><camunda:formData>${fields}</camunda:formData></extensionElements>`;
  const withForm = start().replace("/>", `>${data}</startEvent>`);
  await deploy(
    site.server,
    model(process_key, [withForm, userTask("next"), end(), flow("start", "next", "end")].join("\n")),
  );
  const forms = await site.server.formSessions();
  const { url, embed_id: id } = await forms.createEmbed({
    xActiveTenant: "tenant-1",
    newEmbed: { process_key },
  });
  const { page, trouble } = await visitor(site);
  await page.goto(url);
  const name = page.getByLabel('=Full {{name}} "as written"');
  await name.waitFor();
  const amount = page.getByLabel("Amount");
  expect(await amount.inputValue()).toBe("500");
  expect(await page.getByLabel("Married").isChecked()).toBe(true);
  expect(await page.getByLabel("Branch").getAttribute("readonly")).not.toBeNull();
  expect(await seriousFindings(page)).toEqual([]);
  await name.fill("Jo");
  const send = page.getByRole("button", { name: "Send" });
  await send.click();
  await page.getByText("Field must have minimum length of 3.").waitFor();
  await page.getByText("Field must have minimum value of 1000.").waitFor();
  await name.fill("Jane");
  await amount.fill("2000");
  await page.getByLabel("Married").uncheck();
  await send.click();
  await thanked(page);
  expect(await variablesOf(site, { key: process_key, id, url })).toEqual({
    amount: 2000,
    applicant: "Jane",
    born: "1990-01-31",
    branch: "Jakarta",
    kind: "home",
    married: false,
  });
  expect(trouble).toEqual([]);
});
