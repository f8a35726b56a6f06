// Rejects words that Kubernetes terms have replaced, in code, comments and documents.

/** Use instead: manager, controller, informer, delete, snapshot, explain, release, leader election. */
const retired = new RegExp(
  `(?<![\\w-])(${[
    "troubles?|troubled|tenants?|residents?|housing|housed|burials?|burying|buried|bury|turnstile|citizens?",
    "lookAt|lookAtAll|keepObject|seeObject|setScene|buildWorld|DueTimes|RunningWatch|WatchSet|RunningPasses|PassReport",
    "HostedController|HostParts|PlatformStanding|standingNews|ObjectSeen|ItemSeen|ObjectSigns|Surroundings",
    "whyNot|why-not|letGo|let-go|giveUp|goOn|holdLease|make judges|SimulatedWorld|SimulatedActor|ObjectWish|Agenda",
  ].join("|")})(?![\\w-])`,
  "g",
);

/** Common English words that are not allowed as type names. */
const retiredTypes =
  /\b(?:type|class|interface) (Told|Kept|Acted|Seen|Given|Looking|Moved|Wanting|Housed|Housing|Tenant|Resident|Voice|Line|Call|Saying|Speech|Announcement|News|Standings?|Scene|Stage|Sight|Signs|Story|Site|World|Wish|Wishes|Trouble|Mishap|Loss|Ending|Pass|Loop|Host|Parts|Verdict|Burial|Performing)\b/g;

/**
 * Common English words that are not allowed in names. Use instead: reconcile, check, report, event, decision,
 * observation, fixture.
 */
const retiredParts = new RegExp(
  `^(?:${[
    "look|looks|looked|looking|told|tell|tells|telling|troubles?|troubled|scenes?|tenants?|citizens?|voices?|housed",
    "bury|burials?|standings?|verdicts?|judge|judges|judged|judging|sayings?|sights?|news|wish|wishes|wished|towns?",
    "surroundings|onlookers?|worlds?|story|stories|plays?|played|playing",
  ].join("|")})$`,
);

const declaration =
  /\b(?:const|let|function\*?|class|type|interface|readonly) #?([A-Za-z]\w*)|^\s*(?:async )?#(\w+)\(|(?<=[({,] ?)([A-Za-z]\w*)(?=\??: )|\(([A-Za-z]\w*)\) =>/gm;

type Exception = { readonly within: RegExp; readonly reason: string };

const exceptions: readonly Exception[] = [{ within: /^tools\/names\//, reason: "has the lists, and tests them" }];

const nameExceptions: readonly (Exception & { readonly names: RegExp })[] = [
  {
    within: /^packages\/impact\/|^apps\/simulator\//,
    names: /world/i,
    reason: "a worked example of the impact of a plan is called a world, and has its number",
  },
];

/** Returns lines such as `apps/a.ts:3: bury`. */
export function retiredWords(file: string, text: string): readonly string[] {
  if (isException(file)) return [];
  return text
    .split("\n")
    .flatMap((line, at) =>
      [...line.matchAll(retired), ...line.matchAll(retiredTypes)].map(([, word]) => `${file}:${at + 1}: ${word}`),
    );
}

/** Returns lines such as `apps/a.ts:3: toldOnce` for declared names. Line 0 is the file's own name. */
export function retiredNames(file: string, text: string): readonly string[] {
  if (isException(file)) return [];
  const allowed = nameExceptions.filter(({ within }) => within.test(file)).map(({ names }) => names);
  const declared = text.split("\n").flatMap((line, at) =>
    [...line.matchAll(declaration)].flatMap(([, ...names]) => {
      const [name] = names.filter((each) => each !== undefined);
      return name === undefined ? [] : [{ name, at: at + 1 }];
    }),
  );
  const fileName = file.slice(file.lastIndexOf("/") + 1).replace(/\..*$/, "");
  return [{ name: fileName, at: 0 }, ...declared]
    .filter(({ name }) => partsOf(name).some((part) => retiredParts.test(part)))
    .filter(({ name }) => !allowed.some((names) => names.test(name)))
    .map(({ name, at }) => `${file}:${at}: ${name}`);
}

/** Splits `isToldOfPlan` into is, told, of, plan, and `phase-told` into phase, told. */
function partsOf(name: string): readonly string[] {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").replace(/look-?up/gi, "lookup");
  return words.toLowerCase().split(/[-_]/);
}

function isException(file: string): boolean {
  return exceptions.some(({ within }) => within.test(file));
}
