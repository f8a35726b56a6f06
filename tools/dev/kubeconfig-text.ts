// Adds the development context to the text of a kubeconfig and removes it. Edits the YAML tree, so that all other
// entries keep their formatting.

import { CORE_SCHEMA, eventsToAst, jsToAst, type MappingNode, type Node, parseEvents, present } from "js-yaml";

export const devContext = "virt-dev";

type Fields = Readonly<Record<string, unknown>>;

export type DevEntries = { readonly cluster: Fields; readonly user: Fields };

/** `previous` is the file's own current context, or empty if it has none. */
export type ContextAdded =
  | { readonly kind: "added"; readonly text: string; readonly previous: string }
  | { readonly kind: "refused"; readonly why: string };

export type ContextRemoved =
  | { readonly kind: "removed"; readonly text: string; readonly current: string }
  | { readonly kind: "absent" };

const lists = ["clusters", "users", "contexts"] as const;
const currentKey = "current-context";

/**
 * Marks the entries as ours with an extension that also stores the previous context. Throws if the content is not YAML.
 */
export function addDevContext(text: string, { cluster, user }: DevEntries): ContextAdded {
  const root = parse(text);
  if (root === undefined) return { kind: "refused", why: "it is not a kubeconfig" };
  const known = lists.map((list) => findEntry(root, list));
  const marked = readMark(root);
  if (known.some((entry) => entry !== undefined) && marked === undefined)
    return { kind: "refused", why: `it has an entry ${devContext} that make dev-setup did not create` };
  const current = scalarOf(fieldOf(root, currentKey));
  const previous = current === devContext ? (marked ?? "") : current;
  removeEntries(root);
  const extensions = [{ name: devContext, extension: { previousContext: previous } }];
  const context = { cluster: devContext, user: devContext, extensions };
  const added = { clusters: { cluster }, users: { user }, contexts: { context } };
  for (const list of lists) {
    const items = itemsOf(root, list);
    if (items === undefined) return { kind: "refused", why: `${list} must be a list` };
    items.push(nodeOf({ name: devContext, ...added[list] }));
  }
  setField(root, currentKey, nodeOf(devContext));
  return { kind: "added", text: print(root), previous };
}

/** Keeps a context whose server is not `server`, because a later cluster has replaced it. */
export function removeDevContext(text: string, server: string): ContextRemoved {
  const root = parse(text);
  const cluster = root && fieldOf(findEntry(root, "clusters"), "cluster");
  const previous = root && readMark(root);
  if (root === undefined || previous === undefined || scalarOf(fieldOf(cluster, "server")) !== server)
    return { kind: "absent" };
  removeEntries(root);
  if (scalarOf(fieldOf(root, currentKey)) === devContext) setField(root, currentKey, nodeOf(previous));
  const current = scalarOf(fieldOf(root, currentKey));
  return { kind: "removed", text: print(root), current };
}

function parse(text: string): MappingNode | undefined {
  const [document] = eventsToAst(parseEvents(text, {}), { source: text, schema: CORE_SCHEMA });
  const contents = document?.contents ?? nodeOf({ apiVersion: "v1", kind: "Config" });
  return contents.kind === "mapping" ? contents : undefined;
}

function print(root: MappingNode): string {
  return present([{ contents: root, directives: [] }], { schema: CORE_SCHEMA, seqNoIndent: true, lineWidth: -1 });
}

function nodeOf(value: unknown): Node {
  const contents = jsToAst(value, CORE_SCHEMA)[0]?.contents;
  if (!contents) throw new TypeError("the value cannot be written as YAML");
  return contents;
}

function fieldOf(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === "mapping" ? node.items.find((item) => scalarOf(item.key) === key)?.value : undefined;
}

function setField(node: MappingNode, key: string, value: Node): void {
  const item = node.items.find((one) => scalarOf(one.key) === key);
  if (item === undefined) node.items.push({ key: nodeOf(key), value });
  else item.value = value;
}

function scalarOf(node: Node | undefined): string {
  return node?.kind === "scalar" ? node.value : "";
}

/** Returns undefined if the field is not a list. Turns a missing or empty field into a list. */
function itemsOf(root: MappingNode, list: string): Node[] | undefined {
  const found = fieldOf(root, list);
  if (found?.kind === "sequence") return found.items;
  if (found !== undefined && (found.kind !== "scalar" || !["", "~", "null"].includes(found.value))) return undefined;
  const empty = nodeOf([]);
  setField(root, list, empty);
  return empty.kind === "sequence" ? empty.items : undefined;
}

function findEntry(root: MappingNode, list: string): Node | undefined {
  const found = fieldOf(root, list);
  return found?.kind === "sequence" ? found.items.find(isOurs) : undefined;
}

function isOurs(entry: Node): boolean {
  return scalarOf(fieldOf(entry, "name")) === devContext;
}

function removeEntries(root: MappingNode): void {
  for (const list of lists) {
    const found = fieldOf(root, list);
    if (found?.kind === "sequence") found.items = found.items.filter((entry) => !isOurs(entry));
  }
}

/** Returns the previous context, or undefined if the entries are not ours. */
function readMark(root: MappingNode): string | undefined {
  const extensions = fieldOf(fieldOf(findEntry(root, "contexts"), "context"), "extensions");
  const mark = extensions?.kind === "sequence" ? extensions.items.find(isOurs) : undefined;
  return mark && scalarOf(fieldOf(fieldOf(mark, "extension"), "previousContext"));
}
