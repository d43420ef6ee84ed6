import Matrix

/// Whose invitations are accepted. Configured rooms are entered whoever invites.
public enum InvitePolicy: Equatable, Sendable {
    case admins
    case anyone
    case never
    /// People of these servers, and admins.
    case servers([String])

    func accepts(_ inviter: String, isAdmin: Bool) -> Bool {
        switch self {
        case .admins: isAdmin
        case .anyone: true
        case .never: false
        case .servers(let servers): isAdmin || MatrixID.server(of: inviter).map(servers.contains) ?? false
        }
    }
}
