// Labels in options and in written objects.

import { contentForms } from "@virt/api";

const { text } = contentForms;

/** Labels in the content that a plan writes. */
export const labelForms = {
  key: text("([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", 317),
  value: text("([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?", 63),
} as const;

// Like the API server's label validation. Other operators would reject an invalid label, or select nothing.
const dnsLabel = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
const keyPattern = `^(${dnsLabel}([.]${dnsLabel})*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`;
const valuePattern = "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$";
const keyText =
  "must be a label key: an optional DNS prefix and a slash, then at most 63 letters, digits, '-', '_' or '.', beginning and ending with a letter or digit";
const valueText =
  "must be a label value: at most 63 letters, digits, '-', '_' or '.', beginning and ending with a letter or digit";

/** CEL rules for options: a key, a value, and a map of labels. */
export const isLabelKey = { rule: `self.matches('${keyPattern}')`, message: keyText };
export const isLabelValue = { rule: `self.matches('${valuePattern}')`, message: valueText };
export const areLabels = [
  { rule: `self.all(key, size(key) <= 317 && key.matches('${keyPattern}'))`, message: `each key ${keyText}` },
  { rule: `self.all(key, self[key].matches('${valuePattern}'))`, message: `each value ${valueText}` },
];
