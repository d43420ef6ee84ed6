import Base

/// Handlers of the watched descriptors, found by slot and checked by generation. As many as there are descriptors.
struct WatchTable {
    typealias Handler = @Loop (Readiness) -> Void

    private struct Slot {
        var generation: UInt32 = 1
        var watch: (descriptor: Int32, handler: Handler)?
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    mutating func add(_ descriptor: Int32, _ handler: @escaping Handler) -> Registration {
        if free.isEmpty {
            free.append(UInt32(slots.count))
            slots.append(Slot())
        }
        let slot = free.removeLast()
        slots[Int(slot)].watch = (descriptor, handler)
        return Registration(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// The descriptor, unless the registration has ended.
    mutating func remove(_ registration: Registration) -> Int32? {
        guard let watch = watch(registration) else { return nil }
        let slot = Int(registration.slot)
        slots[slot].watch = nil
        // Generation 0 is never given out, so that no registration looks like the wake-up's token.
        slots[slot].generation = slots[slot].generation == .max ? 1 : slots[slot].generation + 1
        free.append(registration.slot)
        return watch.descriptor
    }

    func descriptor(_ registration: Registration) -> Int32? { watch(registration)?.descriptor }
    func handler(_ registration: Registration) -> Handler? { watch(registration)?.handler }

    private func watch(_ registration: Registration) -> (descriptor: Int32, handler: Handler)? {
        guard registration.slot < slots.count, slots[Int(registration.slot)].generation == registration.generation
        else { return nil }
        return slots[Int(registration.slot)].watch
    }
}
