import Base
import Chat
import GiphySearch

/// A command with where it came from and the settings it began with, which it keeps to its end.
struct Request {
    /// Where its answer goes.
    enum Place {
        case new
        /// In the place of the answer that stands under the request's id; where that can't be, nowhere or as a new one.
        case instead(orNew: Bool)
    }

    let message: ChatMessage
    let adapter: any ChatAdapter
    let channel: Channel
    let hand: CommandInHand
    /// Under which its answer can be changed or taken back.
    let id: AnswerID
    /// Whose search it pages: another person's when an operator turns the page.
    let person: String
    private(set) var place: Place
    /// New words for an earlier command, whether or not that has an answer yet.
    let isEdit: Bool

    @Loop init(
        message: ChatMessage, adapter: any ChatAdapter, channel: Channel, id: AnswerID, person: String? = nil,
        place: Place = .new, isEdit: Bool = false
    ) {
        self.message = message
        self.adapter = adapter
        self.channel = channel
        self.id = id
        self.person = person ?? message.sender.key
        self.place = place
        self.isEdit = isEdit
        hand = CommandInHand(message, from: adapter)
    }

    /// The same command, with its answer elsewhere.
    func placed(_ place: Place) -> Request {
        var request = self
        request.place = place
        return request
    }

    var conversation: Conversation { message.conversation }
    var sender: Sender { message.sender }

    /// Its answer takes the place of another.
    var isRevision: Bool {
        switch place {
        case .new: false
        case .instead: true
        }
    }

    /// Made by a mark on an answer, not by words.
    var isMark: Bool {
        switch place {
        case .instead(let orNew): orNew
        case .new: false
        }
    }

    /// Operators and bot admins.
    var isByOperator: Bool { sender.isOperator || sender.isAdmin }

    /// Private messages of a network share one part of a source's budget, so that nobody gets more by asking in private.
    var asker: Asker {
        let place = conversation
        return Asker(
            share: place.isDirect ? place.network : place.network + "/" + place.name,
            sources: channel.settings.providers)
    }
}
