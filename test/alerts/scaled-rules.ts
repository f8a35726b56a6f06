// Scales the shipped rules to test time: only durations change.

export type RuleGroups = {
  readonly groups: readonly {
    readonly name: string;
    readonly interval: string;
    readonly rules: readonly AlertingRule[];
  }[];
};

type AlertingRule = { readonly alert: string; readonly expr: string; readonly for: string };

/** Divides scrape and evaluation intervals (30 s) and the 5m windows of expressions. */
const factor = 100;
/** Caps `for`, which after scaling would still be up to 72 s. */
const longestPendingMs = 1_500;

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

export function scaleDuration(duration: string): string {
  const [, count = "", unit = ""] = /^(\d+)([smh])$/.exec(duration) ?? [];
  const ms = Number(count) * (units[unit] ?? Number.NaN);
  if (!Number.isInteger(ms / factor)) throw new Error(`cannot scale ${duration}`);
  return `${ms / factor}ms`;
}

export function scaleRules({ groups }: RuleGroups): RuleGroups {
  return {
    groups: groups.map((group) => ({
      ...group,
      interval: scaleDuration(group.interval),
      rules: group.rules.map((rule) => ({ ...rule, expr: scaleWindows(rule.expr), for: scalePending(rule.for) })),
    })),
  };
}

const scaleWindows = (expr: string) =>
  expr.replaceAll(/\[(\w+)\]/g, (_, window: string) => `[${scaleDuration(window)}]`);

const scalePending = (duration: string) =>
  `${Math.min(Number.parseInt(scaleDuration(duration), 10), longestPendingMs)}ms`;
