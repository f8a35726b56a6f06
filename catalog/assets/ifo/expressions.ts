// Writes the CEL expressions of OperationRuleSets. Their operator evaluates them on `object`, as it is stored. Reading
// an absent field is an error, so every access is guarded.

const present = (path: string): string => {
  const names = path.split(".");
  return names.map((_, at) => `has(object.${names.slice(0, at + 1).join(".")})`).join(" && ");
};

const text = (value: string): string => `'${value}'`;

/** True if the field has one of the values. */
export function fieldIs(path: string, ...values: readonly string[]): string {
  const [first = ""] = values;
  const check = values.length === 1 ? `== ${text(first)}` : `in [${values.map(text).join(", ")}]`;
  return `${present(path)} && object.${path} ${check}`;
}

/** True if the phase is one of these. */
export const phaseIs = (...phaseOperations: readonly string[]): string => fieldIs("status.phase", ...phaseOperations);

/** True if the boolean field is true. */
export const isTrue = (path: string): string => `${present(path)} && object.${path} == true`;

/** True if the boolean field is absent or false while the object has a status. */
export const isMissingOrFalse = (path: string): string =>
  `has(object.status) && (!(${present(path)}) || object.${path} == false)`;

/** True if the number is greater than 0. */
export const isPositive = (path: string): string => `${present(path)} && object.${path} > 0`;

/** True if both fields are present and differ. */
export const differ = (one: string, other: string): string =>
  `${present(one)} && ${present(other)} && object.${one} != object.${other}`;

/** Compares a field with another one that counts as 0 while it is absent. */
export const compareWith = (one: string, sign: "<" | ">", other: string): string =>
  `${present(one)} && object.${one} ${sign} (${present(other)} ? object.${other} : 0)`;

/** True if the first element of the list has this value. */
export const firstHas = (list: string, field: string, value: string): string =>
  `${present(list)} && object.${list}.size() > 0 && has(object.${list}[0].${field}) && object.${list}[0].${field} == ${text(value)}`;

export type ConditionStatus = "True" | "False";

const conditions = "status.conditions";

const hasCondition = (checks: Readonly<Record<string, string>>): string => {
  const parts = Object.entries(checks).map(([key, value]) => `has(c.${key}) && c.${key} == ${text(value)}`);
  return `object.${conditions}.exists(c, ${parts.join(" && ")})`;
};

/** True if all conditions have their status. */
export function conditionsAre(wanted: Readonly<Record<string, ConditionStatus>>): string {
  const checks = Object.entries(wanted).map(([type, status]) => hasCondition({ type, status }));
  return [present(conditions), ...checks].join(" && ");
}

/** True if the condition is True. */
export const conditionTrue = (type: string): string => conditionsAre({ [type]: "True" });

/** True if the condition has this status and this reason. */
export const conditionHasReason = (type: string, status: ConditionStatus, reason: string): string =>
  `${present(conditions)} && ${hasCondition({ type, status, reason })}`;

/** True if the first condition is True and the second one is not. */
export const conditionWithout = (type: string, other: string): string =>
  `${conditionTrue(type)} && !${hasCondition({ type: other, status: "True" })}`;
