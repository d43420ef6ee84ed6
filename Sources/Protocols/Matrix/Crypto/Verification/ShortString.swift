/// What two people compare ("SAS method: `emoji`", "SAS method: `decimal`").
public struct ShortString: Equatable, Sendable {
    public struct Emoji: Equatable, Sendable {
        public let symbol: String
        public let name: String
    }

    /// Seven; empty when one of both sides can't show them.
    public let emoji: [Emoji]
    /// Three, from 1000 to 9191.
    public let decimals: [Int]

    /// From six bytes, of which the decimals take the first five; nil for fewer.
    init?(_ bytes: [UInt8], hasEmoji: Bool) {
        guard bytes.count >= 6 else { return nil }
        let bits = bytes.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        emoji = hasEmoji ? (0..<7).map { Self.table[Int(bits >> (42 - 6 * $0) & 63)] } : []
        decimals = (0..<3).map { Int(bits >> (35 - 13 * $0) & 0x1fff) + 1000 }
    }

    private static let table = [
        ("🐶", "Dog"), ("🐱", "Cat"), ("🦁", "Lion"), ("🐎", "Horse"), ("🦄", "Unicorn"), ("🐷", "Pig"),
        ("🐘", "Elephant"), ("🐰", "Rabbit"), ("🐼", "Panda"), ("🐓", "Rooster"), ("🐧", "Penguin"),
        ("🐢", "Turtle"), ("🐟", "Fish"), ("🐙", "Octopus"), ("🦋", "Butterfly"), ("🌷", "Flower"),
        ("🌳", "Tree"), ("🌵", "Cactus"), ("🍄", "Mushroom"), ("🌏", "Globe"), ("🌙", "Moon"),
        ("☁️", "Cloud"), ("🔥", "Fire"), ("🍌", "Banana"), ("🍎", "Apple"), ("🍓", "Strawberry"),
        ("🌽", "Corn"), ("🍕", "Pizza"), ("🎂", "Cake"), ("❤️", "Heart"), ("😀", "Smiley"), ("🤖", "Robot"),
        ("🎩", "Hat"), ("👓", "Glasses"), ("🔧", "Spanner"), ("🎅", "Santa"), ("👍", "Thumbs Up"),
        ("☂️", "Umbrella"), ("⌛", "Hourglass"), ("⏰", "Clock"), ("🎁", "Gift"), ("💡", "Light Bulb"),
        ("📕", "Book"), ("✏️", "Pencil"), ("📎", "Paperclip"), ("✂️", "Scissors"), ("🔒", "Lock"),
        ("🔑", "Key"), ("🔨", "Hammer"), ("☎️", "Telephone"), ("🏁", "Flag"), ("🚂", "Train"),
        ("🚲", "Bicycle"), ("✈️", "Aeroplane"), ("🚀", "Rocket"), ("🏆", "Trophy"), ("⚽", "Ball"),
        ("🎸", "Guitar"), ("🎺", "Trumpet"), ("🔔", "Bell"), ("⚓", "Anchor"), ("🎧", "Headphones"),
        ("📁", "Folder"), ("📌", "Pin"),
    ].map { Emoji(symbol: $0.0, name: $0.1) }
}
