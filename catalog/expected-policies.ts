// Generated from the catalog (make generate): change that.
// The admission policies that each controller ships with; their bindings have the same names.

/** An admission policy with the hashes of the specs that ship with the controller. */
export type ExpectedPolicy = {
  readonly name: string;
  /** `hashPolicySpec` of the spec of the policy, and of its binding. */
  readonly hash: string;
  readonly bindingHash: string;
};

/** By the controller that looks for them. A policy that is absent or differs is reported, never written. */
export const expectedPolicies: Readonly<Record<"advisor" | "platform", readonly ExpectedPolicy[]>> = {
  advisor: [
    {
      name: "virt-advisor-operator-approvals",
      hash: "0f5f9807166e2b0f21ca7ce7de9d25dbe71cf49cd5da77495cb3a59fe53544dc",
      bindingHash: "c0ac9bba32f34af1981bc1d9ed289e9cf3c72a22f4e868f084b83d43dfd47a73",
    },
    {
      name: "virt-advisor-operator-status",
      hash: "f8f0e35f9fe227649d36090c0fbd3938c436b1d49295452500772d76232fb843",
      bindingHash: "3cdc909c2558fc221a73cecea7a7ec362b5b681ff9026489d10b563e5105c4b2",
    },
    {
      name: "virt-advisor-operator-writes",
      hash: "1a0fa03c1dfbbe775041d04e8eddf9b66ab7d55ad2a4063375074f71a46c6400",
      bindingHash: "dcebc17039c018b00eb21f25f7c61274f05530a51bd030d6b9b9b571bc1e544c",
    },
  ],
  platform: [
    {
      name: "virt-platform-operator-overrides",
      hash: "f5f7223cd63f7fae1e7ebf8ebead96733ba8fda6d3ec5d502484ddc0692314e8",
      bindingHash: "e2bf2a29a4d1598a3945c2107e76b34b6b88874fd52f835390f982d530f7afba",
    },
    {
      name: "virt-platform-operator-switches",
      hash: "78178efe32bdcf9a9af0c111d2d3c95cf39ce92a63c4d71d4325aaa0c7120bbf",
      bindingHash: "38b8e61e98ecbf7d14a9c06598c1fe3c3f9abdaab60c1a226c0764f5324ebcac",
    },
    {
      name: "virt-platform-operator-writes",
      hash: "02df6623086c90790acc9a6474cf3b0dfdb6ba909daf4723d5e9a0251592ec96",
      bindingHash: "c82fc3074ef4d7df5cba85a2131cbf1ccee38d8dccfe1111789afd9f4b806b9b",
    },
  ],
};
