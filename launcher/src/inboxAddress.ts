export const inboxHost = '127.0.0.1';

/** The address is the key: whoever has it reads every mail. */
export const inboxUrl = (webPort: number, token: string): string => `http://${inboxHost}:${webPort}/${token}/`;
