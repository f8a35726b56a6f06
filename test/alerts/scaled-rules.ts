// The shipped rules in the time of a test: hours become seconds, and nothing else is changed.

export type RuleGroups = {
  readonly groups: readonly {
    readonly name: string;
    readonly interval: string;
    readonly rules: readonly AlertingRule[];
  }[];
};

type AlertingRule = { readonly alert: string; readonly expr: string; readonly for: string };

/** Scrapes and evaluations every 30 s, and windows of 5m in the expressions, are a hundred times shorter. */
const factor = 100;
/** `for` would still be 72 s for the longest: longer than this an alert is not pending. */
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
