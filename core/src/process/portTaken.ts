/** Returns the message for a port that another program uses. */
export const portTakenMessage = (variable: string, host: string, port: number): string =>
  `Port ${port} on ${host} is taken by another program. Stop that program, or choose another port with ${variable}=<port>.`;
