import Libolm
import Testing

@Suite struct AccountTests {}
