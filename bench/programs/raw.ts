// Implements the protocol's read command directly on node:https, as the baseline for every library.

import { findAccess } from "@virt/kube";
import { serve } from "./protocol.ts";
import { openRaw } from "./raw-requests.ts";

const { NAMESPACE: namespace = "default" } = process.env;
const raw = openRaw(findAccess({ env: process.env }), 8);

serve({ read: (name) => raw.send("GET", `/api/v1/namespaces/${namespace}/configmaps/${name}`) });
