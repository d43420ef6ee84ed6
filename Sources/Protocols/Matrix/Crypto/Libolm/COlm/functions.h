/* What is called of libolm, as its headers declare it. */
LAZY(size_t, olm_account_size, (void), ())
LAZY(size_t, olm_session_size, (void), ())
LAZY(size_t, olm_utility_size, (void), ())
LAZY(OlmAccount *, olm_account, (void *memory), (memory))
LAZY(OlmSession*, olm_session, (void *memory), (memory))
LAZY(OlmUtility*, olm_utility, (void *memory), (memory))
LAZY(size_t, olm_error, (void), ())
LAZY(const char*, olm_account_last_error, (OlmAccount const *account), (account))
LAZY(const char*, olm_session_last_error, (OlmSession const *session), (session))
LAZY(const char*, olm_utility_last_error, (OlmUtility const *utility), (utility))
LAZY(size_t, olm_clear_account, (OlmAccount *account), (account))
LAZY(size_t, olm_clear_session, (OlmSession *session), (session))
LAZY(size_t, olm_clear_utility, (OlmUtility *utility), (utility))
LAZY(size_t, olm_pickle_account_length, (OlmAccount const *account), (account))
LAZY(size_t, olm_pickle_session_length, (OlmSession const *session), (session))
LAZY(size_t, olm_pickle_account, (OlmAccount *account, void const *key, size_t key_length, void *pickled,
     size_t pickled_length), (account, key, key_length, pickled, pickled_length))
LAZY(size_t, olm_pickle_session, (OlmSession *session, void const *key, size_t key_length, void *pickled,
     size_t pickled_length), (session, key, key_length, pickled, pickled_length))
LAZY(size_t, olm_unpickle_account, (OlmAccount *account, void const *key, size_t key_length, void *pickled,
     size_t pickled_length), (account, key, key_length, pickled, pickled_length))
LAZY(size_t, olm_unpickle_session, (OlmSession *session, void const *key, size_t key_length, void *pickled,
     size_t pickled_length), (session, key, key_length, pickled, pickled_length))
LAZY(size_t, olm_create_account_random_length, (OlmAccount const *account), (account))
LAZY(size_t, olm_create_account, (OlmAccount *account, void *random, size_t random_length), (account, random,
     random_length))
LAZY(size_t, olm_account_identity_keys_length, (OlmAccount const *account), (account))
LAZY(size_t, olm_account_identity_keys, (OlmAccount *account, void *identity_keys, size_t identity_key_length),
     (account, identity_keys, identity_key_length))
LAZY(size_t, olm_account_signature_length, (OlmAccount const *account), (account))
LAZY(size_t, olm_account_sign, (OlmAccount *account, void const *message, size_t message_length, void *signature,
     size_t signature_length), (account, message, message_length, signature, signature_length))
LAZY(size_t, olm_account_one_time_keys_length, (OlmAccount const *account), (account))
LAZY(size_t, olm_account_one_time_keys, (OlmAccount *account, void *one_time_keys, size_t one_time_keys_length),
     (account, one_time_keys, one_time_keys_length))
LAZY(size_t, olm_account_mark_keys_as_published, (OlmAccount *account), (account))
LAZY(size_t, olm_account_max_number_of_one_time_keys, (OlmAccount const *account), (account))
LAZY(size_t, olm_account_generate_one_time_keys_random_length, (OlmAccount const *account,
     size_t number_of_keys), (account, number_of_keys))
LAZY(size_t, olm_account_generate_one_time_keys, (OlmAccount *account, size_t number_of_keys, void *random,
     size_t random_length), (account, number_of_keys, random, random_length))
LAZY(size_t, olm_account_generate_fallback_key_random_length, (OlmAccount const *account), (account))
LAZY(size_t, olm_account_generate_fallback_key, (OlmAccount *account, void *random, size_t random_length),
     (account, random, random_length))
LAZY(size_t, olm_account_unpublished_fallback_key_length, (OlmAccount const *account), (account))
LAZY(size_t, olm_account_unpublished_fallback_key, (OlmAccount *account, void *fallback_key,
     size_t fallback_key_size), (account, fallback_key, fallback_key_size))
LAZY(void, olm_account_forget_old_fallback_key, (OlmAccount *account), (account))
LAZY(size_t, olm_create_outbound_session_random_length, (OlmSession const *session), (session))
LAZY(size_t, olm_create_outbound_session, (OlmSession *session, OlmAccount const *account,
     void const *their_identity_key, size_t their_identity_key_length, void const *their_one_time_key,
     size_t their_one_time_key_length, void *random, size_t random_length), (session, account,
     their_identity_key, their_identity_key_length, their_one_time_key, their_one_time_key_length, random,
     random_length))
LAZY(size_t, olm_create_inbound_session_from, (OlmSession *session, OlmAccount *account,
     void const *their_identity_key, size_t their_identity_key_length, void *one_time_key_message,
     size_t message_length), (session, account, their_identity_key, their_identity_key_length,
     one_time_key_message, message_length))
LAZY(size_t, olm_session_id_length, (OlmSession const *session), (session))
LAZY(size_t, olm_session_id, (OlmSession *session, void *id, size_t id_length), (session, id, id_length))
LAZY(int, olm_session_has_received_message, (OlmSession const *session), (session))
LAZY(size_t, olm_matches_inbound_session_from, (OlmSession *session, void const *their_identity_key,
     size_t their_identity_key_length, void *one_time_key_message, size_t message_length), (session,
     their_identity_key, their_identity_key_length, one_time_key_message, message_length))
LAZY(size_t, olm_remove_one_time_keys, (OlmAccount *account, OlmSession *session), (account, session))
LAZY(size_t, olm_encrypt_message_type, (OlmSession const *session), (session))
LAZY(size_t, olm_encrypt_random_length, (OlmSession const *session), (session))
LAZY(size_t, olm_encrypt_message_length, (OlmSession const *session, size_t plaintext_length), (session,
     plaintext_length))
LAZY(size_t, olm_encrypt, (OlmSession *session, void const *plaintext, size_t plaintext_length, void *random,
     size_t random_length, void *message, size_t message_length), (session, plaintext, plaintext_length, random,
     random_length, message, message_length))
LAZY(size_t, olm_decrypt_max_plaintext_length, (OlmSession *session, size_t message_type, void *message,
     size_t message_length), (session, message_type, message, message_length))
LAZY(size_t, olm_decrypt, (OlmSession *session, size_t message_type, void *message, size_t message_length,
     void *plaintext, size_t max_plaintext_length), (session, message_type, message, message_length, plaintext,
     max_plaintext_length))
LAZY(size_t, olm_ed25519_verify, (OlmUtility *utility, void const *key, size_t key_length, void const *message,
     size_t message_length, void *signature, size_t signature_length), (utility, key, key_length, message,
     message_length, signature, signature_length))
LAZY(size_t, olm_inbound_group_session_size, (void), ())
LAZY(OlmInboundGroupSession*, olm_inbound_group_session, (void *memory), (memory))
LAZY(const char*, olm_inbound_group_session_last_error, (const OlmInboundGroupSession *session), (session))
LAZY(size_t, olm_clear_inbound_group_session, (OlmInboundGroupSession *session), (session))
LAZY(size_t, olm_pickle_inbound_group_session_length, (const OlmInboundGroupSession *session), (session))
LAZY(size_t, olm_pickle_inbound_group_session, (OlmInboundGroupSession *session, void const *key,
     size_t key_length, void *pickled, size_t pickled_length), (session, key, key_length, pickled,
     pickled_length))
LAZY(size_t, olm_unpickle_inbound_group_session, (OlmInboundGroupSession *session, void const *key,
     size_t key_length, void *pickled, size_t pickled_length), (session, key, key_length, pickled,
     pickled_length))
LAZY(size_t, olm_init_inbound_group_session, (OlmInboundGroupSession *session, uint8_t const *session_key,
     size_t session_key_length), (session, session_key, session_key_length))
LAZY(size_t, olm_import_inbound_group_session, (OlmInboundGroupSession *session, uint8_t const *session_key,
     size_t session_key_length), (session, session_key, session_key_length))
LAZY(size_t, olm_group_decrypt_max_plaintext_length, (OlmInboundGroupSession *session, uint8_t *message,
     size_t message_length), (session, message, message_length))
LAZY(size_t, olm_group_decrypt, (OlmInboundGroupSession *session, uint8_t *message, size_t message_length,
     uint8_t *plaintext, size_t max_plaintext_length, uint32_t *message_index), (session, message,
     message_length, plaintext, max_plaintext_length, message_index))
LAZY(size_t, olm_inbound_group_session_id_length, (const OlmInboundGroupSession *session), (session))
LAZY(size_t, olm_inbound_group_session_id, (OlmInboundGroupSession *session, uint8_t *id, size_t id_length),
     (session, id, id_length))
LAZY(uint32_t, olm_inbound_group_session_first_known_index, (const OlmInboundGroupSession *session), (session))
LAZY(size_t, olm_outbound_group_session_size, (void), ())
LAZY(OlmOutboundGroupSession*, olm_outbound_group_session, (void *memory), (memory))
LAZY(const char*, olm_outbound_group_session_last_error, (const OlmOutboundGroupSession *session), (session))
LAZY(size_t, olm_clear_outbound_group_session, (OlmOutboundGroupSession *session), (session))
LAZY(size_t, olm_pickle_outbound_group_session_length, (const OlmOutboundGroupSession *session), (session))
LAZY(size_t, olm_pickle_outbound_group_session, (OlmOutboundGroupSession *session, void const *key,
     size_t key_length, void *pickled, size_t pickled_length), (session, key, key_length, pickled,
     pickled_length))
LAZY(size_t, olm_unpickle_outbound_group_session, (OlmOutboundGroupSession *session, void const *key,
     size_t key_length, void *pickled, size_t pickled_length), (session, key, key_length, pickled,
     pickled_length))
LAZY(size_t, olm_init_outbound_group_session_random_length, (const OlmOutboundGroupSession *session), (session))
LAZY(size_t, olm_init_outbound_group_session, (OlmOutboundGroupSession *session, uint8_t *random,
     size_t random_length), (session, random, random_length))
LAZY(size_t, olm_group_encrypt_message_length, (OlmOutboundGroupSession *session, size_t plaintext_length),
     (session, plaintext_length))
LAZY(size_t, olm_group_encrypt, (OlmOutboundGroupSession *session, uint8_t const *plaintext,
     size_t plaintext_length, uint8_t *message, size_t message_length), (session, plaintext, plaintext_length,
     message, message_length))
LAZY(size_t, olm_outbound_group_session_id_length, (const OlmOutboundGroupSession *session), (session))
LAZY(size_t, olm_outbound_group_session_id, (OlmOutboundGroupSession *session, uint8_t *id, size_t id_length),
     (session, id, id_length))
LAZY(uint32_t, olm_outbound_group_session_message_index, (OlmOutboundGroupSession *session), (session))
LAZY(size_t, olm_outbound_group_session_key_length, (const OlmOutboundGroupSession *session), (session))
LAZY(size_t, olm_outbound_group_session_key, (OlmOutboundGroupSession *session, uint8_t *key, size_t key_length),
     (session, key, key_length))
LAZY(const char*, olm_sas_last_error, (const OlmSAS *sas), (sas))
LAZY(size_t, olm_sas_size, (void), ())
LAZY(OlmSAS*, olm_sas, (void *memory), (memory))
LAZY(size_t, olm_clear_sas, (OlmSAS *sas), (sas))
LAZY(size_t, olm_create_sas_random_length, (const OlmSAS *sas), (sas))
LAZY(size_t, olm_create_sas, (OlmSAS *sas, void *random, size_t random_length), (sas, random, random_length))
LAZY(size_t, olm_sas_pubkey_length, (const OlmSAS *sas), (sas))
LAZY(size_t, olm_sas_get_pubkey, (OlmSAS *sas, void *pubkey, size_t pubkey_length), (sas, pubkey, pubkey_length))
LAZY(size_t, olm_sas_set_their_key, (OlmSAS *sas, void *their_key, size_t their_key_length), (sas, their_key,
     their_key_length))
LAZY(size_t, olm_sas_generate_bytes, (OlmSAS *sas, const void *info, size_t info_length, void *output,
     size_t output_length), (sas, info, info_length, output, output_length))
LAZY(size_t, olm_sas_mac_length, (const OlmSAS *sas), (sas))
LAZY(size_t, olm_sas_calculate_mac_fixed_base64, (OlmSAS *sas, const void *input, size_t input_length,
     const void *info, size_t info_length, void *mac, size_t mac_length), (sas, input, input_length, info,
     info_length, mac, mac_length))
LAZY(size_t, olm_pk_signing_size, (void), ())
LAZY(OlmPkSigning*, olm_pk_signing, (void *memory), (memory))
LAZY(const char*, olm_pk_signing_last_error, (const OlmPkSigning *sign), (sign))
LAZY(size_t, olm_clear_pk_signing, (OlmPkSigning *sign), (sign))
LAZY(size_t, olm_pk_signing_key_from_seed, (OlmPkSigning *sign, void *pubkey, size_t pubkey_length,
     const void *seed, size_t seed_length), (sign, pubkey, pubkey_length, seed, seed_length))
LAZY(size_t, olm_pk_signing_seed_length, (void), ())
LAZY(size_t, olm_pk_signing_public_key_length, (void), ())
LAZY(size_t, olm_pk_signature_length, (void), ())
LAZY(size_t, olm_pk_sign, (OlmPkSigning *sign, uint8_t const *message, size_t message_length, uint8_t *signature,
     size_t signature_length), (sign, message, message_length, signature, signature_length))
