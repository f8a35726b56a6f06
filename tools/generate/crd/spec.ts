import { actions, failurePolicies, type Spec } from "@virt/api";
import { guardsSchema } from "./impact.ts";
import type { Described, OptionSchemas } from "./options.ts";
import { flag, type Rule, rules, type Schema, shape, text, word } from "./schema.ts";

const immutable = { rule: "self == oldSelf", message: "Profile is immutable" };
const isDuration = "self.matches('^([0-9]+(\\\\.[0-9]+)?(ms|s|m|h))+$')";
// Uses rules, because the message of a pattern is the pattern itself, and errors of duration() mention protobuf.
const duration = { rule: isDuration, message: "waitTimeout must be a duration such as 24h, 90m or 1h30m" };
const positive = {
  rule: `!${isDuration} || duration(self) > duration('0s')`,
  message: "waitTimeout must be greater than zero",
};

export function specSchema(profiles: readonly Described[], options: OptionSchemas): Schema {
  return shape<Spec>(
    "The desired configuration.",
    {
      profile: word(names(profiles), profileHelp(profiles), rules(immutable)),
      action: word(
        actions,
        "DryRun drafts a plan for review. Apply applies the plan. Ignore stops managing the configuration and changes nothing.",
        { default: "DryRun" },
      ),
      failurePolicy: word(
        failurePolicies,
        "What the advisor does if an item fails: Abort does not apply the remaining items, Continue applies them.",
        { default: "Abort" },
      ),
      bypassOptimisticLock: flag(
        "Applies a plan even if its targets have changed since the review, and corrects drift automatically. This can cause edit wars with other controllers.",
        { default: false },
      ),
      waitTimeout: text(
        "How long the advisor waits for an item to become healthy, such as 24h or 1h30m, before the item fails. If not set, there is no limit.",
        { maxLength: 32, ...rules(duration, positive) },
      ),
      approvedPlan: text(
        "The status.planHash of the reviewed plan, or at least its first 12 digits. If set, the advisor applies no plan with another hash.",
        {
          pattern: "^[0-9a-f]{12,64}$",
        },
      ),
      guards: guardsSchema,
      options: {
        type: "object",
        description:
          "Options of the profile, in the field of this profile. Options that are not set use their defaults.",
        properties: options,
      },
    },
    { required: ["profile"], ...rules(...exclusive(profiles)) },
  );
}

const names = (profiles: readonly Described[]) => profiles.map(({ name }) => name);

const profileHelp = (profiles: readonly Described[]): string =>
  [
    "The profile to configure. The object must have the same name. Immutable.",
    ...profiles.map(({ name, description }) => `${name}: ${description}.`),
  ].join("\n");

/** Allows each profile only its own options. */
function exclusive(profiles: readonly Described[]): readonly Rule[] {
  const keyed = profiles.flatMap(({ name, optionsKey: key }) => (key === undefined ? [] : [{ name, key }]));
  const nothingElse = keyed.map(({ name, key }) => {
    const others = keyed.filter((other) => other.key !== key).map((other) => `!has(self.options.${other.key})`);
    return {
      rule: given(`self.profile != '${name}' || ${others.join(" && ") || "true"}`),
      message: `When profile is '${name}', only options.${key} may be set`,
    };
  });
  const nowhereElse = keyed.map(({ name, key }) => ({
    rule: given(`!has(self.options.${key}) || self.profile == '${name}'`),
    message: `options.${key} can only be used with profile '${name}'`,
  }));
  return [...nothingElse, ...nowhereElse];
}

const given = (rule: string): string => `!has(self.options) || ${rule}`;
