"""Countries with the words that name them or their people, for comparing "German" and
"Germany". A line gives the country, then other names and adjectives."""

from __future__ import annotations

_TABLE = """
Afghanistan: Afghan
Albania: Albanian
Algeria: Algerian
American Samoa: American Samoan
Andorra: Andorran
Angola: Angolan
Anguilla
Argentina: Argentine, Argentinian
Armenia: Armenian
Aruba: Aruban
Australia: Australian
Austria: Austrian
Azerbaijan: Azerbaijani
Bahamas: Bahamian
Bahrain: Bahraini
Bangladesh: Bangladeshi
Barbados: Barbadian
Belarus: Belarusian
Belgium: Belgian
Benin: Beninese
Bermuda: Bermudian
Bhutan: Bhutanese
Bolivia: Bolivian
Bosnia and Herzegovina: Bosnian
Botswana
Brazil: Brazilian
British Virgin Islands
Brunei: Bruneian
Bulgaria: Bulgarian
Burkina Faso
Burundi: Burundian
Byzantine Empire: Byzantine
Cambodia: Cambodian
Cameroon: Cameroonian
Canada: Canadian
Cape Verde: Cape Verdean
Cayman Islands: Caymanian
Chad: Chadian
Chile: Chilean
China: Chinese, People's Republic of China
Colombia: Colombian
Cook Islands
Costa Rica: Costa Rican
Croatia: Croatian
Cuba: Cuban
Curaçao
Cyprus: Cypriot
Czech Republic: Czech, Czechia
Czechoslovakia: Czechoslovak
Denmark: Danish, Dane
Dominican Republic: Dominican
East Germany: East German
Ecuador: Ecuadorian
Egypt: Egyptian
El Salvador: Salvadoran
Eritrea: Eritrean
Estonia: Estonian
Ethiopia: Ethiopian
Falkland Islands
Faroe Islands: Faroese
Fiji: Fijian
Finland: Finnish
France: French
French Polynesia
Gabon: Gabonese
Gambia: Gambian
Georgia: Georgian
Germany: German
Ghana: Ghanaian
Gibraltar: Gibraltarian
Greece: Greek
Greenland: Greenlandic
Guadeloupe
Guam: Guamanian
Guatemala: Guatemalan
Guinea: Guinean
Guyana: Guyanese
Haiti: Haitian
Honduras: Honduran
Hong Kong
Hungary: Hungarian
Iceland: Icelandic
India: Indian
Indonesia: Indonesian
Iran: Iranian, Persian
Iraq: Iraqi
Ireland: Irish, Republic of Ireland
Isle of Man: Manx
Israel: Israeli
Italy: Italian
Ivory Coast: Ivorian
Jamaica: Jamaican
Japan: Japanese
Jordan: Jordanian
Kazakhstan: Kazakh, Kazakhstani
Kenya: Kenyan
Kosovo: Kosovan
Kuwait: Kuwaiti
Kyrgyzstan: Kyrgyz, Kyrgyzstani
Laos: Laotian
Latvia: Latvian
Lebanon: Lebanese
Lesotho
Liberia: Liberian
Libya: Libyan
Liechtenstein
Lithuania: Lithuanian
Luxembourg: Luxembourgish
Macau: Macanese, Macao
Madagascar: Malagasy
Malawi: Malawian
Malaysia: Malaysian
Maldives: Maldivian
Mali: Malian
Malta: Maltese
Martinique
Mauritania: Mauritanian
Mauritius: Mauritian
Mexico: Mexican
Moldova: Moldovan
Monaco: Monegasque
Mongolia: Mongolian
Montenegro: Montenegrin
Montserrat
Morocco: Moroccan
Mozambique: Mozambican
Myanmar: Burmese, Burma
Namibia: Namibian
Nepal: Nepalese, Nepali
Netherlands: Dutch
New Caledonia
New Zealand: New Zealander
Nicaragua: Nicaraguan
Niger: Nigerien
Nigeria: Nigerian
North Korea: North Korean
North Macedonia: Macedonian
Northern Mariana Islands
Norway: Norwegian
Oman: Omani
Ottoman Empire: Ottoman
Pakistan: Pakistani
Palestine: Palestinian
Panama: Panamanian
Papua New Guinea
Paraguay: Paraguayan
Peru: Peruvian
Philippines: Filipino, Philippine
Poland: Polish
Portugal: Portuguese
Prussia: Prussian
Puerto Rico: Puerto Rican
Qatar: Qatari
Romania: Romanian
Russia: Russian
Rwanda: Rwandan
Samoa: Samoan
Saudi Arabia: Saudi, Saudi Arabian
Senegal: Senegalese
Serbia: Serbian
Sierra Leone
Singapore: Singaporean
Slovakia: Slovak
Slovenia: Slovene, Slovenian
Somalia: Somali
South Africa: South African
South Korea: South Korean
Soviet Union: Soviet, USSR
Spain: Spanish
Sri Lanka: Sri Lankan
Sudan: Sudanese
Suriname: Surinamese
Sweden: Swedish
Switzerland: Swiss
Syria: Syrian
Taiwan: Taiwanese
Tajikistan: Tajik
Tanzania: Tanzanian
Thailand: Thai
Togo: Togolese
Tonga: Tongan
Trinidad and Tobago: Trinidadian
Tunisia: Tunisian
Turkey: Turkish
Turkmenistan: Turkmen
Turks and Caicos Islands
Uganda: Ugandan
Ukraine: Ukrainian
United Arab Emirates: Emirati
United Kingdom: British, UK, U.K., Great Britain, Britain
United Kingdom: England, English, Scotland, Scottish, Wales, Welsh
United Kingdom: Northern Ireland, Northern Irish
United States: American, United States of America, US, U.S., USA, U.S.A., America
United States Virgin Islands: U.S. Virgin Islands
Uruguay: Uruguayan
Uzbekistan: Uzbek
Vatican City
Venezuela: Venezuelan
Vietnam: Vietnamese
West Germany: West German
Yemen: Yemeni
Yugoslavia: Yugoslav, Yugoslavian
Zambia: Zambian
Zimbabwe: Zimbabwean
"""


def _names() -> dict[str, str]:
    rows = (line.partition(":") for line in _TABLE.strip().splitlines())
    return {
        name.strip(): country
        for country, _, others in rows
        for name in (country, *others.split(","))
        if name.strip()
    }


COUNTRY_OF = _names()
"""Country by every word that names it or its people."""

COUNTRIES = frozenset(COUNTRY_OF.values())
