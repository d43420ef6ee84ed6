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

extension Statement {
    func run<each Value: Bindable>(_ values: repeat each Value) throws(SQLiteError) {
        var parameter = 1
        for value in repeat each values {
            try value.bind(to: self, parameter)
            parameter += 1
        }
        try run()
    }
}
