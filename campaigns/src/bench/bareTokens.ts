import jwt from 'jsonwebtoken';

const SECRET = 'of the bare target, which runs for a measurement alone';

/** Signs a token of the bare target. */
export const signBare = (id: string): string => jwt.sign({ sub: id }, SECRET, { algorithm: 'HS256', expiresIn: '1d' });

/** Returns the id of the person of a token. Throws when the token is not right. */
export const checkBare = (token: string): string => String(jwt.verify(token, SECRET, { algorithms: ['HS256'] }).sub);
