// Generated from the catalog (make generate): change that.
// The admission policies that each controller ships with; their bindings have the same names.

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
      hash: "70c53ad231ae264945536c5c95851466f612f5eec1c95ffe68841bdbac5dc10c",
      bindingHash: "c0ac9bba32f34af1981bc1d9ed289e9cf3c72a22f4e868f084b83d43dfd47a73",
    },
    {
      name: "virt-advisor-operator-status",
      hash: "f8f0e35f9fe227649d36090c0fbd3938c436b1d49295452500772d76232fb843",
      bindingHash: "3cdc909c2558fc221a73cecea7a7ec362b5b681ff9026489d10b563e5105c4b2",
    },
    {
      name: "virt-advisor-operator-writes",
      hash: "d2f32864d519ebe1cfdc24a9c8314607cd09722533aabdbbed66fb6e148f8370",
      bindingHash: "dcebc17039c018b00eb21f25f7c61274f05530a51bd030d6b9b9b571bc1e544c",
    },
  ],
  platform: [
    {
      name: "virt-platform-operator-overrides",
      hash: "464de6c8b37be89794a9223b60c7fac2bd83c54e6d10e3abcb7bfffaa0043fcb",
      bindingHash: "e2bf2a29a4d1598a3945c2107e76b34b6b88874fd52f835390f982d530f7afba",
    },
    {
      name: "virt-platform-operator-switches",
      hash: "f19dd336acea1ae5bdc8bdc8e9ffbcbf37bc1118ef2664643657708f0d54d43a",
      bindingHash: "38b8e61e98ecbf7d14a9c06598c1fe3c3f9abdaab60c1a226c0764f5324ebcac",
    },
    {
      name: "virt-platform-operator-writes",
      hash: "9b3a66bae188fa029ba86c8995a588a2fa99a649fc00fc47230c987e873db4ac",
      bindingHash: "c82fc3074ef4d7df5cba85a2131cbf1ccee38d8dccfe1111789afd9f4b806b9b",
    },
  ],
};
