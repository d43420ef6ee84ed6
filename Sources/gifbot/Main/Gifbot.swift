@main struct Gifbot {
    static func main() {}
}
