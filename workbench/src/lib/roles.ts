import type { Role } from "./api/types";

export interface RoleWords {
  role: Role;
  letter: string;
  name: string;
  treatment: string;
}

/** Roles in the order in which a steward decides them. Letters are those of the command line's output. */
export const roles: RoleWords[] = [
  { role: "identifier", letter: "I", name: "identifier", treatment: "removed" },
  { role: "subject", letter: "P", name: "subject", treatment: "used to count people, then removed" },
  { role: "quasi-identifier", letter: "Q", name: "quasi-identifier", treatment: "generalized" },
  { role: "sensitive", letter: "S", name: "sensitive", treatment: "published, protected by rules" },
  { role: "insensitive", letter: "N", name: "insensitive", treatment: "published unchanged" },
];

export function roleWords(role: Role | null): RoleWords | null {
  return roles.find((entry) => entry.role === role) ?? null;
}
