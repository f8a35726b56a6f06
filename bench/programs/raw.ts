// The reading part of the protocol with nothing between us and node:https: what a library is measured against.

import { findAccess } from "@virt/kube";
import { serve } from "./protocol.ts";
import { openRaw } from "./raw-requests.ts";

const { NAMESPACE: namespace = "default" } = process.env;
const raw = openRaw(findAccess({ env: process.env }), 8);

serve({ read: (name) => raw.send("GET", `/api/v1/namespaces/${namespace}/configmaps/${name}`) });
