-- The health of a VirtPlatformConfig for Argo CD. See docs/gitops.md for the installation.
-- It depends only on conditions, like kubectl wait and Flux. The message names the next step.

local waiting = { status = "Progressing", message = "Waiting for virt-advisor-operator" }
if obj.status == nil or obj.status.conditions == nil then
  return waiting
end
if obj.status.observedGeneration ~= obj.metadata.generation then
  return waiting
end

local said = {}
for _, condition in ipairs(obj.status.conditions) do
  said[condition.type] = condition
end
local function is(kind)
  return said[kind] ~= nil and said[kind].status == "True"
end

local ready = said["Ready"] or {}
if is("ReviewRequired") then
  return { status = "Suspended", message = ready.message }
end
if is("Stalled") then
  return { status = "Degraded", message = ready.message }
end
if is("Reconciling") then
  return { status = "Progressing", message = said["Reconciling"].message }
end
if is("Drifted") then
  return { status = "Degraded", message = ready.message }
end
if ready.status == "True" then
  return { status = "Healthy", message = ready.message }
end
return { status = "Progressing", message = ready.message }
