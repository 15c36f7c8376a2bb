export const inboxHost = '127.0.0.1';

/** The address is secret: anyone who has it can read every mail. */
export const inboxUrl = (webPort: number, token: string): string => `http://${inboxHost}:${webPort}/${token}/`;
