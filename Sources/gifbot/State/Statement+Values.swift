import Chat
import SQLite

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: Statement, _ parameter: Int) throws(SQLiteError) {
        guard let self else { return try statement.bindNull(parameter) }
        try self.bind(to: statement, parameter)
    }
}

extension Statement {
    /// Nil for NULL.
    func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    func optionalNumber(_ column: Int) -> Int? { isNull(column) ? nil : Int(integer(column)) }
}

extension Statement {
    /// What the first three columns of a row name.
    var conversation: Conversation {
        Conversation(network: text(0), name: text(1), isDirect: integer(2) != 0)
    }
}
