/** The message for a port that another program holds. */
export const portTakenMessage = (variable: string, host: string, port: number): string =>
  `Port ${port} on ${host} is taken by another program. Stop that one, or choose another with ${variable}=<port>.`;
