// The images that the operator was told about, by environment variables.

const start = "RELATED_IMAGE_";

/** By name: RELATED_IMAGE_MY_TOOL becomes my-tool. Those without a value are left out. */
export function readImages(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([variable, image]) => {
      const isImage =
        variable.startsWith(start) && variable.length > start.length && image !== undefined && image !== "";
      return isImage ? [[variable.slice(start.length).toLowerCase().replaceAll("_", "-"), image]] : [];
    }),
  );
}
