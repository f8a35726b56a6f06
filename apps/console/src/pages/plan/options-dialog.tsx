// Edits the options of a profile in a form generated from the CRD schema, and requests a new plan.

import {
  Alert,
  Button,
  Form,
  FormGroup,
  FormHelperText,
  FormSelect,
  FormSelectOption,
  HelperText,
  HelperTextItem,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  TextArea,
  TextInput,
} from "@patternfly/react-core";
import type { Json, JsonMap, VirtPlatformConfig } from "@virt/api";
import { planPatches } from "@virt/views";
import { useId, useState } from "react";
import { useAnnounce } from "../parts/announcer.tsx";
import { useConfigAccess, useSendPatches } from "../parts/config-actions.tsx";
import { strings } from "../strings.ts";
import { type OptionField, type OptionTexts, optionsPatch, optionTexts, readOptionForm } from "./option-form.ts";

/** Keyed by profile. Set by the bundler. */
declare const OPTION_FORMS: Readonly<
  Record<string, { readonly key: string; readonly options: readonly OptionField[] } | undefined>
>;

const texts = strings.options;

export function EditOptions({ config }: { readonly config: VirtPlatformConfig }) {
  const form = OPTION_FORMS[config.spec.profile];
  const access = useConfigAccess("patch", config.metadata.name);
  const [isOpen, setIsOpen] = useState(false);
  const why = useId();
  if (form === undefined) return null;
  return (
    <>
      <Button
        variant="secondary"
        isAriaDisabled={access === "no"}
        {...(access === "no" && { "aria-describedby": why })}
        onClick={() => setIsOpen(true)}
      >
        {texts.edit}
      </Button>
      {access === "no" ? (
        <p id={why} className="vc-why">
          {strings.plan.missingVerb("patch")}
        </p>
      ) : null}
      {isOpen ? (
        <OptionsDialog config={config} optionsKey={form.key} fields={form.options} close={() => setIsOpen(false)} />
      ) : null}
    </>
  );
}

type OptionsDialogProps = {
  readonly config: VirtPlatformConfig;
  readonly optionsKey: string;
  readonly fields: readonly OptionField[];
  readonly close: () => void;
};

function OptionsDialog({ config, optionsKey, fields, close }: OptionsDialogProps) {
  const announce = useAnnounce();
  const { isSending, refusal, send } = useSendPatches(config);
  const before: JsonMap = config.spec.options?.[optionsKey] ?? {};
  const [values, setValues] = useState<OptionTexts>(() => optionTexts(fields, before));
  const read = readOptionForm(fields, values);
  const save = async () => {
    if (read.kind === "invalid") return;
    const options = { ...config.spec.options, [optionsKey]: optionsPatch(before, read.options) };
    if (!(await send(planPatches(config, options)))) return;
    announce(strings.overview.started(config.metadata.name));
    close();
  };
  return (
    <Modal isOpen variant="medium" onClose={close} aria-labelledby="options-dialog-title">
      <ModalHeader title={texts.title(config.metadata.name)} labelId="options-dialog-title" description={texts.text} />
      <ModalBody tabIndex={0} aria-label={texts.title(config.metadata.name)}>
        <Form onSubmit={(event) => event.preventDefault()}>
          {fields.map((field) => (
            <OptionInput
              key={field.name}
              field={field}
              value={values[field.name] ?? ""}
              error={read.kind === "invalid" ? errorText(field, read.errors[field.name]) : undefined}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
        </Form>
        {refusal === undefined ? null : (
          <Alert isInline isLiveRegion variant="danger" title={strings.plan.refused}>
            {refusal.message}
          </Alert>
        )}
      </ModalBody>
      <ModalFooter>
        <Button
          variant="primary"
          isDisabled={read.kind === "invalid"}
          isLoading={isSending}
          onClick={() => void save()}
        >
          {texts.save}
        </Button>
        <Button variant="link" onClick={close}>
          {strings.plan.cancel}
        </Button>
      </ModalFooter>
    </Modal>
  );
}

type OptionInputProps = {
  readonly field: OptionField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
};

function OptionInput({ field, value, error, onChange }: OptionInputProps) {
  const id = useId();
  const { name, description = "", type } = field;
  const choices = type === "boolean" ? ["true", "false"] : field.enum;
  const common = { id, value, "aria-describedby": `${id}-help` };
  const validated = error === undefined ? "default" : "error";
  const fallback = texts.fallback(field.default === undefined ? undefined : shownDefault(field.default));
  return (
    <FormGroup label={name} fieldId={id}>
      {choices !== undefined ? (
        <FormSelect {...common} validated={validated} onChange={(_, next) => onChange(next)}>
          <FormSelectOption value="" label={fallback} />
          {choices.map((choice) => (
            <FormSelectOption key={choice} value={choice} label={choice} />
          ))}
        </FormSelect>
      ) : type === "object" ? (
        <TextArea {...common} validated={validated} placeholder={fallback} onChange={(_, next) => onChange(next)} />
      ) : (
        <TextInput
          {...common}
          validated={validated}
          inputMode={type === "integer" ? "numeric" : "text"}
          placeholder={fallback}
          onChange={(_, next) => onChange(next)}
        />
      )}
      <FormHelperText>
        <HelperText id={`${id}-help`} isLiveRegion>
          {error === undefined ? null : <HelperTextItem variant="error">{error}</HelperTextItem>}
          <HelperTextItem>
            {description} {rangeText(field)}
          </HelperTextItem>
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}

function shownDefault(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function rangeText({ minimum, maximum }: OptionField): string {
  return minimum === undefined || maximum === undefined ? "" : texts.range(minimum, maximum);
}

type FormErrors = Extract<ReturnType<typeof readOptionForm>, { readonly kind: "invalid" }>["errors"];

function errorText(
  { minimum = 0, maximum = 0, enum: choices = [] }: OptionField,
  error: FormErrors[string] | undefined,
) {
  switch (error) {
    case undefined:
      return undefined;
    case "not-integer":
      return texts.notInteger;
    case "too-small":
    case "too-large":
      return texts.range(minimum, maximum);
    case "not-listed":
      return texts.notListed(choices);
    case "not-object":
      return texts.notObject;
  }
}
