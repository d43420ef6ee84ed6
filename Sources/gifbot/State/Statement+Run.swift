import SQLite

/// What a parameter can be here.
protocol Bindable {
    func bind(to statement: Statement, _ parameter: Int) throws(SQLiteError)
}

extension Int64: Bindable {
    func bind(to statement: Statement, _ parameter: Int) throws(SQLiteError) {
        try statement.bind(parameter, self)
    }
}

extension String: Bindable {
    func bind(to statement: Statement, _ parameter: Int) throws(SQLiteError) {
        try statement.bind(parameter, self)
    }
}

extension [UInt8]: Bindable {
    func bind(to statement: Statement, _ parameter: Int) throws(SQLiteError) {
        try statement.bind(parameter, self)
    }
}

extension Statement {
    func run<each Value: Bindable>(_ values: repeat each Value) throws(SQLiteError) {
        try bind(repeat each values)
        try run()
    }

    /// All parameters, in order; the rows are then fetched by `next`.
    func bind<each Value: Bindable>(_ values: repeat each Value) throws(SQLiteError) {
        var parameter = 1
        for value in repeat each values {
            try value.bind(to: self, parameter)
            parameter += 1
        }
    }
}
