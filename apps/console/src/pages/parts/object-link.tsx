// The name of a node or VM: a link to its console page, or a dialog with its facts.

import {
  Button,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Modal,
  ModalBody,
  ModalHeader,
} from "@patternfly/react-core";
import type { KubeObject } from "@virt/api";
import { useState } from "react";
import { nodeFacts, vmFacts } from "../data/object-facts.ts";
import { useKind, useObjects, useWanted } from "../data/use-cluster.ts";
import { type LinkedObject, objectHref } from "../routes.ts";
import { strings } from "../strings.ts";

const texts = strings.objects;

export function ObjectLink(object: LinkedObject) {
  const [isOpen, setIsOpen] = useState(false);
  const { namespace, name } = object;
  const title = namespace === undefined ? name : `${namespace}/${name}`;
  const href = objectHref(object);
  if (href !== undefined) return <a href={href}>{title}</a>;
  return (
    <>
      <Button variant="link" isInline className="vc-object-link" onClick={() => setIsOpen(true)}>
        {title}
      </Button>
      {isOpen ? (
        <Modal isOpen variant="medium" onClose={() => setIsOpen(false)} aria-labelledby="linked-title">
          <ModalHeader title={`${texts.kinds[object.kind]} ${title}`} labelId="linked-title" />
          <ModalBody tabIndex={0} aria-label={title}>
            <ObjectFacts {...object} />
          </ModalBody>
        </Modal>
      ) : null}
    </>
  );
}

function ObjectFacts({ kind, namespace, name }: LinkedObject) {
  useWanted("nodes", "vms");
  const nodes = useKind("nodes");
  const vmKind = useKind("vms");
  const [nodeObjects, vms] = [useObjects("nodes"), useObjects("vms")];
  const isIt = ({ metadata }: KubeObject) => metadata.name === name && (metadata.namespace ?? "") === (namespace ?? "");
  const found = (kind === "Node" ? nodeObjects : vms).find(isIt);
  const { state, resource } = kind === "Node" ? nodes : vmKind;
  if (state === "loading") return <p>{strings.loading(name)}</p>;
  if (state === "forbidden") return <p>{strings.forbidden.title(resource)}</p>;
  if (found === undefined) return <p>{texts.gone}</p>;
  const facts = kind === "Node" ? nodeFacts(found, vmKind.state === "listed" ? vms : undefined) : vmFacts(found);
  return (
    <DescriptionList isHorizontal isCompact>
      {facts.map(({ term, text }) => (
        <DescriptionListGroup key={term}>
          <DescriptionListTerm>{term}</DescriptionListTerm>
          <DescriptionListDescription>{text}</DescriptionListDescription>
        </DescriptionListGroup>
      ))}
    </DescriptionList>
  );
}
