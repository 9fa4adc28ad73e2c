// What an activity tells in its heartbeats, which the workflow engine shows while it is at work.
type Told = () => readonly string[];
const details = new WeakMap<object, Told>();

/** `context` is that of the activity; `told` is asked at each heartbeat. */
export const tellInHeartbeats = (context: object, told: Told): void => void details.set(context, told);

/** Empty where the activity tells nothing. */
export const heartbeatDetails = (context: object): readonly string[] => details.get(context)?.() ?? [];
