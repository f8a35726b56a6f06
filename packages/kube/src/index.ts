// What other packages use of the Kubernetes runtime.

export { type Authority, type Credentials, issueAuthority, issueClient, issueServer, type Validity } from "./x509.ts";
