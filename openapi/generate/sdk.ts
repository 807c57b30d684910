/** Contract → `sdk/src/generated/`: the typescript-fetch client of @openapitools/openapi-generator-cli. */
import { rm } from "node:fs/promises";

/** Where the client stands. */
export const sdkFolder = "sdk/src/generated";

/**
 * Writes the client into `folder`, from the bundled contract. Throws where Java is missing or the generator fails;
 * its output goes to standard error.
 */
export async function generateSdk(root: string, folder = `${root}${sdkFolder}`): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const generator = Bun.spawn(
    [
      "bun",
      "x",
      "openapi-generator-cli",
      "generate",
      "--generator-name=typescript-fetch",
      `--input-spec=${root}src/generated/openapi.json`,
      `--output=${folder}`,
      `--openapitools=${root}openapi/openapitools.json`,
      "--additional-properties=supportsES6=true,importFileExtension=.ts,modelPropertyNaming=original,paramNaming=camelCase,enumPropertyNaming=original,useSingleRequestParameter=true,stringEnums=false,withoutRuntimeChecks=true,typescriptThreePlus=true",
      "--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false",
    ],
    { cwd: root, stdout: "pipe", stderr: "inherit" },
  );
  if ((await generator.exited) !== 0)
    throw new Error(
      `the SDK was not generated (is Java installed?)\n${await new Response(generator.stdout).text()}`,
    );
}
