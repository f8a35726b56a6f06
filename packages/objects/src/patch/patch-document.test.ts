import fc from "fast-check";
import { expect, test } from "vitest";
import { equalJson, type Json } from "../json/json.ts";
import { copyJson, jsonBytesOf, PatchDocument } from "./patch-document.ts";

const key = fc.constantFrom("a", "b", "é", "0", "1", "-");
const pointer = fc.array(key, { minLength: 1, maxLength: 3 });
const value = fc.constantFrom<Json>(1, null, "é\n\u2028", {}, [], { a: 1 }, { a: { b: [], é: "x" } }, [1, [2]], [[]]);
const step = fc.record({ verb: fc.constantFrom("add", "replace", "remove"), pointer, value });

test("the counted size is the size of the document", () => {
  const law = fc.property(fc.dictionary(key, value), fc.array(step, { maxLength: 8 }), (document, steps) => {
    const draft = new PatchDocument(document);
    return steps.every(({ verb, pointer, value }) => {
      if (verb === "remove") draft.remove(pointer);
      else if (verb === "add") draft.add(pointer, copyJson(value));
      else draft.replace(pointer, copyJson(value));
      return draft.bytes === jsonBytesOf(draft.document);
    });
  });
  fc.assert(law);
});

test("removing an added value restores the document", () => {
  const law = fc.property(fc.dictionary(key, value), pointer, value, (document, pointer, value) => {
    const draft = new PatchDocument(document);
    const isReplaced = draft.find(pointer) !== undefined && !Array.isArray(draft.find(pointer.slice(0, -1)));
    const isDone = draft.add(pointer, copyJson(value)).kind === "done";
    if (!isDone || isReplaced || pointer.at(-1) === "-") return true;
    return (
      equalJson(draft.find(pointer), value) &&
      draft.remove(pointer).kind === "done" &&
      equalJson(draft.document, document)
    );
  });
  fc.assert(law);
});

test("handles a member called __proto__", () => {
  const draft = new PatchDocument({});
  draft.add(["__proto__"], { x: 1 });
  expect(draft.find(["x"])).toBeUndefined();
  expect(JSON.stringify(draft.document)).toBe('{"__proto__":{"x":1}}');
});

test("does not change the original document", () => {
  const document = { a: { b: [1] } };
  const draft = new PatchDocument(document);
  draft.add(["a", "b", "-"], 2);
  expect(draft.document).toEqual({ a: { b: [1, 2] } });
  expect(document).toEqual({ a: { b: [1] } });
});
