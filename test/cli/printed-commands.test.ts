// The lists of pasted commands contain every printed command, and no others.

import { globSync, readFileSync } from "node:fs";
import { findingCatalogue } from "@virt/impact";
import { describe, expect, test } from "vitest";
import { isShipped } from "../../tools/texts/collect.ts";
import { cliPastes } from "./cli-pastes.ts";
import { controllerPastes } from "./controller-pastes.ts";
import {
  deletedTargetCommands,
  findingCommands,
  findingPastes,
  obstacleCommands,
  optionCommands,
} from "./finding-pastes.ts";
import { commandsIn, isBegunAs, isPrintedAs, makeWordsIn, printedCommands } from "./printed-commands.ts";
import { chartPastes, toolPastes } from "./tool-pastes.ts";

const lists = {
  "cli-pastes.ts": commandsOf(cliPastes),
  "controller-pastes.ts": commandsOf(controllerPastes),
  "finding-pastes.ts": [...findingPastes, ...optionCommands, ...obstacleCommands, ...deletedTargetCommands],
  "tool-pastes.ts": commandsOf([...toolPastes, ...chartPastes]),
};
const pasted = Object.values(lists).flat();

function commandsOf(pastes: readonly { readonly command: string }[]): readonly string[] {
  return pastes.map(({ command }) => command);
}

/** Beginnings of commands. The lists contain the complete commands from the functions that assemble them. */
const beginnings = [
  "kubectl annotate --overwrite <type> <name><…>",
  "kubectl annotate hco <hco.name> -n <hco.namespace>",
  "oc -n openshift-machine-config-operator",
  "oc -n <hco>",
];

function isPasted(printed: { readonly text: string }): boolean {
  const isSame = beginnings.includes(printed.text) ? isBegunAs : isPrintedAs;
  return pasted.some((command) => isSame(printed, command));
}

test("every printed command is in a list of pasted commands", () => {
  const missing = printedCommands.filter((one) => !isPasted(one)).map(({ file, text }) => `${file}: ${text}`);
  expect(missing, `add these commands, with values, to one of ${Object.keys(lists).join(", ")}`).toEqual([]);
});

test.each(Object.entries(lists))("every command of %s is still printed", (_, commands) => {
  const isPrinted = (command: string) =>
    printedCommands.some((one) => (beginnings.includes(one.text) ? isBegunAs : isPrintedAs)(one, command));
  expect(commands.filter((command) => !isPrinted(command))).toEqual([]);
});

const withoutCommand = ["RebootOverdue"];

test("every finding has a printed command, with listed exceptions", () => {
  const withCommand = findingCommands.filter(({ command }) => command !== undefined).map(({ id }) => id);
  const wanted = [...withCommand, ...withoutCommand, "TargetDeleted"];
  expect([...new Set(wanted)].toSorted()).toEqual(Object.keys(findingCatalogue).toSorted());
});

test("every make target and variable in a text exists in the Makefile", () => {
  const makefile = readFileSync("Makefile", "utf8");
  const words = globSync(["{apps,packages,tools}/**/*.ts", "catalog/**/*.ts"])
    .filter((file) => isShipped(file) && !/node_modules|retired-words/u.test(file))
    .flatMap((file) => makeWordsIn(readFileSync(file, "utf8")).map((word) => ({ file, word })));
  expect(words).toContainEqual({ file: "packages/views/src/install-command.ts", word: "deploy" });
  expect(words).toContainEqual({ file: "tools/deploy/kubectl.ts", word: "controlplane" });
  const isKnown = (word: string) => new RegExp(`^${word}:|\\b${word}=`, "mu").test(makefile);
  expect(words.filter(({ word }) => !isKnown(word))).toEqual([]);
});

describe("commandsIn", () => {
  const textsOf = (file: string, content: string) => commandsIn(file, content).map(({ text }) => text);

  test("finds commands in literals, components and the chart's notes", () => {
    expect(textsOf("a.ts", "f(`run ${program} plan ${name} --raw, or kubectl get x`)")).toEqual([
      "kubectl virt-advisor plan <name> --raw, or kubectl get x",
      "kubectl get x",
    ]);
    expect(textsOf("a.tsx", "// kubectl get x\n<p>it's kubectl get y</p>")).toEqual(["kubectl get y</p>"]);
    expect(textsOf("NOTES.txt", "  kubectl get x -n {{ .Values.a }}\n")).toEqual(["kubectl get x -n <value>"]);
  });

  test("ignores program names in sentences", () => {
    expect(textsOf("a.ts", 'f("manifests that kubectl accepts", "without kubectl, nothing runs")')).toEqual([]);
  });
});

describe("isPrintedAs", () => {
  test.each([
    { text: "kubectl get x <name>. Then wait.", command: "kubectl get x a" },
    { text: "oc get x' shows", command: "oc get x" },
    { text: "kubectl get x <name><…>", command: "kubectl get x a -n b" },
    { text: 'kubectl get x -p \'{"a":"<b>"}\'', command: 'kubectl get x -p \'{"a":"c"}\'' },
    { text: "kubectl get x <f(name)> --hash <hash>", command: "kubectl get x a --hash $(cat b)" },
    { text: "kubectl plan NAME --set KEY=VALUE", command: "kubectl plan a --set b=c" },
  ])("accepts $command as $text", ({ text, command }) => {
    expect(isPrintedAs({ text }, command)).toBe(true);
  });

  test.each([
    { text: "kubectl get x <name> --broken", command: "kubectl get x a" },
    { text: "kubectl get x <name>", command: "kubectl get x a --flag" },
    { text: "kubectl get x <name>-broken", command: "kubectl get x a" },
    { text: "kubectl get x", command: "kubectl get x a" },
  ])("rejects $command as $text", ({ text, command }) => {
    expect(isPrintedAs({ text }, command)).toBe(false);
  });
});
