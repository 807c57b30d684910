/** Contract → `sdk/src/generated/`: the typescript-fetch client of @openapitools/openapi-generator-cli. */
import { rm } from "node:fs/promises";

/** The client's folder, from the repository's root. */
export const sdkFolder = "sdk/src/generated";

const options = [
  "supportsES6=true",
  "importFileExtension=.ts",
  "modelPropertyNaming=original",
  "paramNaming=camelCase",
  "enumPropertyNaming=original",
  "useSingleRequestParameter=true",
  "stringEnums=false",
  "withoutRuntimeChecks=true",
  "typescriptThreePlus=true",
];

/**
 * Generates the client from the bundled contract into `folder`. Throws if Java is missing or the generator fails.
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
      `--additional-properties=${options.join()}`,
      // A reserved word may be the name of a member. Another name would not be the one that the server knows.
      "--name-mappings=default=default",
      "--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false",
    ],
    { cwd: root, stdout: "pipe", stderr: "inherit" },
  );
  if ((await generator.exited) !== 0)
    throw new Error(
      `The SDK was not generated. Check that Java is installed.\n${await new Response(generator.stdout).text()}`,
    );
}
