import CLinux

/// How the C library's allocator treats large blocks.
public enum LargeBlocks {
    /// Bytes.
    private static let least: Int32 = 1 << 20

    /// Gives them back to the system when they are freed. By itself the allocator takes the next ones from its heap, which then
    /// stays as large as the largest file that went through the program (mallopt(3), M_MMAP_THRESHOLD).
    public static func areGivenBack() {
        _ = mallopt(M_MMAP_THRESHOLD, least)
    }
}
